#!/bin/sh
# Archives as other tools write them, and hostile ones, made by tests/unit/archive_make (its head says what is in them).
. "$top_srcdir/tests/analyze_common.sh"
make_kind() { mkdir "$dir/$1" && "$top_builddir/tests/unit/archive_make" "$1" "$dir/$1"; }
analyze() { timeout 60 "$tacho" analyze --allow-damaged --db "$dir/$1.db" "$dir/$1/traces.otf2" 2>"$dir/err"; }
sql() { sqlite3 "$dir/$1.db" "$2"; }
states() { sql "$1" "select group_concat(state || ns) from (select state, ns from host_time h join process p on p.id = h.process_id
	where window = 'run' and rank = $2 and ns > 0 order by state)"; }

echo 1..46
for kind in bare openmp metrics names cyclic; do make_kind $kind; done

# 1000 ns: MPI_Allreduce 200, cudaMemcpy 50, pread64 60, sem_wait 40, an unknown region 50, MPI_File_write 30
analyze bare && [ "$(states bare 0)" = cuda50,io90,mpi200,useful620,wait40 ] && [ "$(states bare 1)" = "$(states bare 0)" ]
ok $? "regions without paradigm and role are classed by their names"
[ "$(sql bare "select value from metric where window = 'run' and model = 'mpi' and name = 'parallel_efficiency'")" = 0.8 ] &&
	[ "$(sql bare "select count(*) from metric where model = 'mpi' and name in ('transfer_efficiency',
		'serialisation_efficiency', 'ideal_network_runtime') and value is null and flag like '%no messages or collectives%'")" = 3 ]
ok $? "MPI calls that do not say what they communicate: the replay is NULL with its reason, the rest is there"
[ "$(sql bare "select count(*) from metric where value is null and flag is null")" = 0 ]
ok $? "no figure is NULL without a reason"

# 1000 ns: MPI_Allreduce() 200 and 50, pthread_join() 40, a barrier 30 next to a parallel region; a kernel 200, a copy 100; on another GPU 100
make_kind tau
analyze tau && [ "$(states tau 0)" = mpi200,omp_idle30,useful730,wait40 ] && [ "$(states tau 1)" = mpi50,omp_idle30,useful880,wait40 ]
ok $? "brackets after the name of a function do not hide what it is, and OMPT's barriers are known by theirs"
[ "$(sql tau "select count(*) from metric where model = 'mpi' and name in ('transfer_efficiency',
	'serialisation_efficiency', 'ideal_network_runtime') and value is null and flag like '%no messages or collectives%'")" = 3 ] &&
	[ "$(sql tau "select count(*) from finding where rule = 'ideal_network'")" = 0 ]
ok $? "nor that nobody knows who waited for whom"
[ "$(sql tau "select sum(case state when 'compute' then ns end), sum(case state when 'memcpy' then ns end) from device_time
	where window = 'run' group by device_id" | sort | tr '\n' ' ')" = "100| 200|100 " ]
ok $? "a copy is no kernel, and GPUs in the group of their process are reported by the names of their queues"

# 1000 ns: a kernel 300, a copy to the GPU 80 and one to the processor 100; its memory is no work of the GPU
make_kind rocprof
analyze rocprof && [ "$(sql rocprof "select sum(case state when 'compute' then ns end), sum(case state when 'memcpy' then ns end),
	sum(case when state like 'idle:%' then ns end) from device_time where window = 'run'")" = "300|180|520" ] &&
	[ "$(sql rocprof "select count(*) from kernel")" = 3 ]
ok $? "a GPU that nobody created is its only process's, and allocated memory nothing that it does"
[ "$(sql rocprof "select count(*), min(ordinal) from process_device; select count(*) from device; select count(*) from finding where rule = 'unused_gpu'")" = \
	"$(printf '1|1\n1\n0')" ]
ok $? "a processor is no GPU that computes nothing, what is copied to it is a copy of the GPU's"

# 24 bytes in 12 ns among 3 ranks: an all-reduce has a bus bandwidth of 2 × 4/3 bytes per ns; 25 in place; all gather 8 each
make_kind scorep
analyze scorep && [ "$(sql scorep "select group_concat(op || bytes) from (select op, bytes from collective order by seq)")" = \
	allreduce24,allreduce25,broadcast24,reduce24,allgather24,scan24,exscan24 ] &&
	[ "$(sql scorep "select round(algbw / 1e9, 6), round(busbw / 1e9, 6) from collective where seq = 0")" = "2.0|2.666667" ]
ok $? "what Score-P counts for each rank that a collective reaches is reported once"
[ "$(sql scorep "select group_concat(name || s || '-' || r) from (select name, group_concat(bytes_sent, ' ') as s, group_concat(bytes_received, ' ') as r
	from (select * from call order by process_id) where class = 'mpi' and name <> 'MPI_Iallreduce' group by name order by name)")" = \
	"MPI_Allgather8 8 8-24 24 24,MPI_Allreduce24 24 24-24 24 24,MPI_Bcast24 0 0-24 24 24,MPI_Exscan24 24 24-24 24 24,MPI_Reduce24 24 24-24 0 0,MPI_Scan24 24 24-24 24 24" ]
ok $? "of calls, too"

# the second one four times as long: 24 and 25 bytes in 60 ns
sql scorep "update collective set end_ns = last_ns + 48, algbw = 25e9 / 48, busbw = 4 / 3.0 * 25e9 / 48 where seq = 1"
"$tacho" stats --format csv "$dir/scorep.db" collectives | grep -q '^allreduce,2,49,0,60,6\.5333[0-9]*,8\.7111'
ok $? "bandwidths of several operations are those of all bytes in all time"

# as the report has them
page() { sqlite3 -cmd '.parameter set :run 1' "$dir/$1.db" <"$top_srcdir/reports/page/$2.sql"; }
[ "$(page rocprof launches | cut -d '|' -f 1-3)" = "GPU 0:1|1|300.0" ] && [ "$(page rocprof copies | cut -d '|' -f 1 | sort | tr '\n' ' ')" = \
	"MEMORY_COPY_DEVICE_TO_HOST MEMORY_COPY_HOST_TO_DEVICE " ]
ok $? "a kernel that copies is a kernel among launches, and none among copies"
sql tau "update call set median_ns = 1"
[ "$(page tau calls | sed -n 's/.*|MPI|MPI_Allreduce()|.*/&/p' | cut -d '|' -f 5)" = "$(sql tau "select ns from median where kind = 'call' and name = 'MPI_Allreduce()'")" ]
ok $? "the median of a call is that of all its calls"

# both ranks have a device 0
make_case two v15_nccl_exposed_straggler
analyze two && [ "$("$tacho" stats --format csv "$dir/two.db" devices | sed -n 's/^\(rank [01]\),.*,GPU 0,run,compute,.*/\1/p' | tr '\n' ' ')" = "rank 0 rank 1 " ]
ok $? "devices are known by their processes"

make_kind cut
analyze cut && [ "$(sql cut "select inside, inside_since_ns from location order by ref")" = "$(printf 'MPI_Recv|300\n|')" ] &&
	"$tacho" report -s "$dir/cut.db" 2>"$dir/err" | tr -s ' \n' '  ' | grep -q 'the trace of rank 0 ends inside a call (MPI_Recv)'
ok $? "a trace that ends inside of a call says so"

# the master is in the region from 200 to 600, from 560 on in its barrier; the worker's: 500 to 600, then 800 to 900
analyze openmp && [ "$(states openmp 0)" = omp_idle40,useful960 ]
ok $? "an OpenMP barrier is idle time, the parallel region work"
[ "$(sql openmp "select group_concat(name || value) from (select name, value from metric where model = 'hybrid' order by name)")" = \
	mpi_parallel_efficiency1.0,parallel_efficiency0.68,thread_efficiency0.68,threads2.0 ]
ok $? "a worker's useful time is that in parallel regions outside of barriers"

analyze metrics && [ "$(sql metrics "select group_concat(name || '=' || value) from (select name, value from sample
	order by name, t_ns)")" = \
	"PAPI_TOT_INS=100.0,PAPI_TOT_INS=500.0,PAPI_TOT_INS=900.0,temperature=50.0,temperature=250.0,temperature=450.0" ]
ok $? "metrics of other tools are samples by their names"
[ "$(sql metrics "select duration_ns from run")" = 1000 ]
ok $? "and those of unknown classes are passed over"

analyze cyclic && [ "$(sql cyclic "select count(*), min(name) from process")" = "1|tree" ] &&
	[ "$(sql cyclic "select name from call")" = main ]
ok $? "nodes and groups in a circle, definitions given twice: the first ones hold"

# rank 1 comes to the fence at 300: without the network both leave it then, 100 earlier, and the last record is 100 earlier
make_kind windows
analyze windows && [ "$(sql windows "select duration_ns from run; select end_ns from location order by ref")" = "$(printf '1000\n1000\n900')" ]
ok $? "a run lasts until its last record, of whatever kind"
[ "$(sql windows "select op, first_ns, last_ns, end_ns, last_rank from collective; select value from metric where window = 'run' and
	model = 'mpi' and name = 'ideal_network_runtime'")" = "$(printf 'barrier|100|300|400|1\n900.0')" ]
ok $? "all wait for each other in a fence of a window"

# 1000 ns: of rank 0 300 in MPI_Allreduce, of rank 1 100; both read 40, and are 10 in a context that is not defined.
# Without the network both leave the collective at 300: the run ends 100 earlier. Samples are in no call.
make_kind contexts
analyze contexts && [ "$(states contexts 0)" = io40,mpi300,useful660 ] && [ "$(states contexts 1)" = io40,mpi100,useful860 ]
ok $? "calling contexts of a tool that unwinds are regions"
[ "$(sql contexts "select name, sum(calls), sum(total_ns) from call group by name")" = \
	"$(printf 'MPI_Allreduce|2|400\nmain|2|1800\nread|2|80')" ] && [ "$(sql contexts "select op, first_ns, last_ns, end_ns from collective;
	select value from metric where window = 'run' and model = 'mpi' and name = 'ideal_network_runtime'")" = "$(printf 'allreduce|100|300|400\n900.0')" ]
ok $? "with their calls, and what these communicate"
"$tacho" dump "$dir/contexts/traces.otf2" >"$dir/out" && [ "$(grep -c 'enter "MPI_Allreduce"' "$dir/out")" -eq 2 ] &&
	[ "$(grep -c 'leave "main"' "$dir/out")" -eq 2 ]
ok $? "tacho dump shows them"

# One tick is 8 bytes after 0x05: the second Enter of a location is set before its first Leave.
make_kind backwards 2>/dev/null
python3 - "$dir/backwards/traces/1.evt" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"\x05" + (500).to_bytes(8, "little"))
data[at + 1:at + 9] = (100).to_bytes(8, "little")
open(sys.argv[1], "wb").write(data)
END
analyze backwards && [ "$(sql backwards "select group_concat(coalesce(damaged, 'whole')) from location")" = \
	"whole,times go back: the later events were not used" ] && [ "$(states backwards 0)" = useful200 ]
ok $? "times that go back end a location, and it says so; the others end with it"

# Control characters of any kind, bytes that are no UTF-8, marks that turn the direction of writing.
raw() { LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' "$1"; }
analyze names && [ "$(sql names "select count(*) from call")" = 4 ] && ! raw "$dir/err"
ok $? "hostile names are names like others in the database"
shown=0
for command in "stats" "info" "report -s" "stats --format json"; do
	# shellcheck disable=SC2086 # a command and its options
	timeout 60 "$tacho" $command "$dir/names.db" >"$dir/out" 2>&1 || shown=1
	raw "$dir/out" && shown=1
done
ok $shown "and none reaches the terminal raw"
"$tacho" stats --format json "$dir/names.db" calls | python3 -c 'import json, sys
sys.exit("MPI_\033[31mSend\r\nline" not in [row["name"] for row in json.load(sys.stdin)])'
ok $? "JSON gives them back as they were"

printf '\033[31mx' >"$dir/file"
timeout 60 "$tacho" analyze "$dir/$(printf '\033[31mx')" 2>"$dir/err"
[ $? -eq 1 ] && ! raw "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ]
ok $? "messages quote names harmlessly too"

mkfifo "$dir/bare/fifo" && rm "$dir/bare/traces/1.evt" && mv "$dir/bare/fifo" "$dir/bare/traces/1.evt"
analyze bare && [ "$(sql bare "select damaged from location where ref = 1")" = "its events are missing" ]
ok $? "a FIFO in the place of a file of events is not waited for"
rm "$dir/bare/traces.def" && mkfifo "$dir/bare/traces.def"
analyze bare
[ $? -eq 1 ] && grep -q "traces.def is missing" "$dir/err"
ok $? "nor one in the place of the definitions"

make_kind failed
analyze failed && [ "$(sql failed "select reads, bytes_read, max_access from io_file; select bytes_received from call where name = 'read'")" = \
	"$(printf '3|200|100\n200')" ]
ok $? "a read that failed with -1 moved nothing"

# from the first event, at 40, to the last, at 1040
make_kind epoch
analyze epoch && [ "$(sql epoch "select duration_ns from run; select start_ns, end_ns from location order by ref; select min(bin_ns) from timeline")" = \
	"$(printf '1000\n0|1000\n10|900\n2')" ] && [ "$("$tacho" dump "$dir/epoch/traces.otf2" | head -n 1)" = '0 0 enter "main"' ]
ok $? "time 0 is the first event where a clock begins elsewhere"

# Rank 0 waits from 100 on for rank 1, which comes at 700; both leave at 900. Of 1000 ns in bins of 2.
mkdir "$dir/late"
printf '%s\n' 'rank node 0' 'enter 0 main' '100 900 mpi coll barrier bytes 0' 'leave 1000 main' 'rank node 0' 'enter 0 main' \
	'700 900 mpi coll barrier bytes 0' 'leave 1000 main' >"$dir/late.case"
"$top_builddir/tests/unit/golden" "$tacho" "$dir/late" write "$dir/late.case" >"$dir/err" 2>&1
analyze late && [ "$(sql late "select t.location_id, t.state, sum(v.value) * t.bin_ns / 1000, min(v.key) * t.bin_ns, (max(v.key) + 1) * t.bin_ns
	from timeline t, json_each(t.shares) v where t.state glob 'mpi*' and v.value > 0 group by t.location_id, t.state")" = \
	"$(printf '1|mpi|200|700|900\n1|mpi_wait|600|100|700\n2|mpi|200|700|900')" ]
ok $? "the timeline separates waiting for other ranks from transfer"

# what tacho's own reader reads, and libotf2 with each file closed and opened again whenever a location waits
differing=0
for name in v03_serialised_pipeline phases_and_steps non_blocking rooted_and_scan; do
	make_case $name
	analyze $name && TACHO_READER=libotf2 TACHO_OPEN_MOST=0 timeout 60 "$tacho" analyze --db "$dir/again.db" "$dir/$name/traces.otf2" 2>"$dir/err" ||
		differing=1
	for file in $name again; do
		sqlite3 "$dir/$file.db" "update run set analyzed_ns = 0" .dump >"$dir/$file.sql"
	done
	cmp -s "$dir/$name.sql" "$dir/again.sql" || differing=1
	rm "$dir/again.db"
done
ok $differing "files that are closed while a location waits give the same figures"

# each record of each location, as tacho reads it by itself and as libotf2 does
make_kind records
dump() { timeout 60 "$tacho" -v dump "$dir/records/traces.otf2" >"$dir/$1" 2>"$dir/err"; }
dump own && [ "$(grep -c 'is read by libotf2' "$dir/err")" = 1 ] && grep -q 'location 2 is read by libotf2 from its event 37' "$dir/err" &&
	TACHO_READER=libotf2 dump libotf2 && [ "$(grep -c 'is read by libotf2' "$dir/err")" = 3 ] && [ "$(wc -l <"$dir/own")" = 228001 ] && cmp "$dir/own" "$dir/libotf2" >"$dir/err"
ok $? "records of all kinds, with all types of attributes and over several chunks, are those that libotf2 reads"
truncate -s 300000 "$dir/records/traces/1.evt"
dump own
cp "$dir/err" "$dir/said"
TACHO_READER=libotf2 dump libotf2
# after its end libotf2 says what its memory held before, until that makes no sense
sure=$(sed -n 's/.*location 1 is read by libotf2 from its event \([0-9]*\) on.*/\1/p' "$dir/said")
for file in own libotf2; do
	awk -v sure="${sure:-0}" '$2 != 1 || ++seen <= sure' "$dir/$file" >"$dir/$file.sure"
done
[ "${sure:-0}" -gt 1000 ] && cmp "$dir/own.sure" "$dir/libotf2.sure" >>"$dir/err" && grep -q damaged "$dir/said"
ok $? "and so are those of a file that was truncated"

mkdir "$dir/many" && "$top_builddir/tests/bench/analyze" write "$dir/many" 800000 2 && analyze many
steps=$(sql many "select count(distinct n) from step")
[ "$steps" -gt 4200 ] && [ "$(sql many "select count(distinct window) from metric where window like 'step:%'")" = $((4096 + (steps - 4096 + 3) / 4)) ] &&
	[ "$(sql many "select count(distinct window) from host_time where window like 'step:%'")" = "$steps" ] &&
	[ "$(sql many "select cast(value as integer) from metric where model = 'quality' and name = 'steps'")" = "$steps" ]
ok $? "of more than 4096 steps all have their times, the first and some others efficiencies, and it is said"

# 7,000 steps of ranks: what looks at each of them for each would take minutes
mkdir "$dir/gpus" && "$top_builddir/tests/bench/analyze_gpu" "$dir/gpus" 630000 12 && analyze gpus
[ "$(sql gpus "select count(*) from step")" = 7000 ] && [ "$(sql gpus "select count(*) from collective")" = 1750 ] &&
	[ "$(sql gpus "select count(*) from checks where not ok")" = 0 ] &&
	[ "$(sql gpus "select abs(value - 20 * 2550 / 1e5) < 0.001 from metric
		where window = 'run' and model = 'device' and name = 'device_parallel_efficiency'")" = 1 ]
ok $? "many steps with devices are analyzed in seconds, with the share of kernels that was written"

# 1000 ns: clFinish 200, acc_wait 50, shmem_putmem 100, pthread_mutex_lock 40
make_kind runtimes
analyze runtimes && [ "$(states runtimes 0)" = cuda250,mpi100,useful610,wait40 ]
ok $? "calls of runtimes that compute nothing are not useful, whatever their names"

make_kind uncompleted
analyze uncompleted && [ "$(sql uncompleted "select count(*) from metric where window = 'run' and model = 'mpi'
	and name in ('transfer_efficiency', 'serialisation_efficiency') and flag like 'calls whose partner is not in the trace%'")" = 2 ]
ok $? "receives that are never reported to be complete: the replay says what it rests on"

make_kind noise
analyze noise && [ "$(sql noise "select count(*) from call where bytes_sent < 0 or bytes_received < 0 or bytes_sent > 1 << 47")" = 0 ] &&
	[ "$(sql noise "select count(*) from collective where bytes < 0 or bytes > 1 << 47")" = 0 ]
ok $? "more bytes than can be are none"
[ "$(sql noise "select ok || message from checks where name = 'bytes_possible'")" = "03 messages, collectives or transfers report more bytes than a process can hold: they count as 0" ]
ok $? "and it is said"

mkdir "$dir/lost" && "$top_builddir/tests/unit/archive_make" scorep "$dir/lost"
rm -f "$dir/lost/traces"/*.evt
analyze lost
[ $? = 1 ] && [ ! -e "$dir/lost.db" ] && grep -q 'cannot read any event' "$dir/err"
ok $? "an archive whose events are all missing is refused"
: >"$dir/cut/traces/0.evt"
rm "$dir/cut.db"
analyze cut && [ "$(sql cut "select count(*) from location where damaged is not null")" = 1 ]
ok $? "one that has those of a rank is not"
