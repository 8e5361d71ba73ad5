#!/bin/sh
# SQLite exports of Nsight Systems, made by nsys_make.py by the documented schema: the database against an
# independent computation (kineto_check.py) of the traces that they were made from, and against times known by
# heart; damaged and hostile files get one sentence.
. "$top_srcdir/tests/analyze_common.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
grep -q "^#define HAVE_ZLIB 1" "$top_builddir/config.h" || skip_all "tacho is built without zlib"
here=$top_srcdir/tests
analyze() { timeout 60 "$tacho" analyze "$@" 2>"$dir/err"; }
sql() { sqlite3 -readonly "$1" "$2"; }
make() { python3 "$here/nsys_make.py" "$@" 2>"$dir/err"; }

# agrees DATABASE FILE[:OFFSET]…: figures are those of the traces, every check and identity holds.
agrees() {
	python3 "$here/kineto_check.py" "$@" >"$dir/err" 2>&1 && broken "$1" >>"$dir/err" && [ ! -s "$dir/err" ] &&
		[ "$(sql "$1" "select count(*) from checks where not ok")" = 0 ]
}

# refused WHAT PATTERN FILE…: one sentence with the pattern, a status that is not 0, no crash.
refused() {
	what=$1 pattern=$2
	shift 2
	analyze --db "$dir/refused.db" "$@"
	status=$?
	[ "$status" = 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$pattern" "$dir/err" && [ ! -e "$dir/refused.db" ]
	ok $? "$what: one sentence"
}

echo 1..21
PLAIN=1 python3 "$here/kineto_make.py" "$dir/two" >"$dir/clocks" &&
	make "$dir/both.sqlite" "$dir/two/rank0.json" "$dir/two/rank1.json.gz:3217500" && analyze "$dir/both.sqlite" &&
	[ ! -s "$dir/err" ] && agrees "$dir/both.db" "$dir/two/rank0.json" "$dir/two/rank1.json.gz:3217500"
ok $? "2 ranks in one report: every figure is that of the traces it was made from"
golden traces_nsys "$dir/both.db"
ok $? "its database is the expected one"

[ "$(sql "$dir/both.db" "select group_concat(rank || ':' || pid, ' ') from process")" = "0:4000 1:4001" ] &&
	[ "$(sql "$dir/both.db" "select group_concat(distinct hostname) || group_concat(distinct label) from node, run")" = \
		node7both ] &&
	[ "$(sql "$dir/both.db" "select group_concat(name || substr(uuid, -2), ' ') from device")" = \
		"NVIDIA H100 80GB HBM300 NVIDIA H100 80GB HBM301" ]
ok $? "ranks, process numbers, host and devices are those of the report"

mkdir "$dir/apart" && make "$dir/apart/r_1.sqlite" "$dir/two/rank1.json.gz:3217500" &&
	make "$dir/apart/r_0.sqlite" "$dir/two/rank0.json" && analyze "$dir/apart" && [ ! -s "$dir/err" ] &&
	agrees "$dir/apart/tacho.db" "$dir/two/rank0.json" "$dir/two/rank1.json.gz:3217500" &&
	sql "$dir/apart/tacho.db" "select * from device_time where window = 'run'" >"$dir/apart.txt" &&
	sql "$dir/both.db" "select * from device_time where window = 'run'" | cmp - "$dir/apart.txt"
ok $? "a report for each rank, clocks by the start of each: the same times"

make "$dir/mi.sqlite" "$here/data/kineto/hta-mi250.json.gz" && analyze "$dir/mi.sqlite" &&
	agrees "$dir/mi.db" "$here/data/kineto/hta-mi250.json.gz"
ok $? "a training of PyTorch: every figure is that of the trace"

[ "$(sql "$dir/mi.db" "select group_concat(op || ' ' || memory || ' ' || bytes, ', ') from
		(select op, coalesce(memory, '-') memory, sum(bytes) bytes from copy group by 1, 2 order by 1, 2)")" = \
	"$(analyze --db "$dir/json.db" "$here/data/kineto/hta-mi250.json.gz"
		sql "$dir/json.db" "select group_concat(op || ' ' || memory || ' ' || bytes, ', ') from
		(select op, coalesce(memory, '-') memory, sum(bytes) bytes from copy group by 1, 2 order by 1, 2)")" ] &&
	[ -n "$(sql "$dir/mi.db" "select 1 from copy limit 1")" ]
ok $? "copies have the direction, memory and bytes that the trace has"

[ "$(sql "$dir/both.db" "select count(*) from call where name like '%seq =%' or name like '%\_v3020' escape '\'")" = 0 ] &&
	[ "$(sql "$dir/both.db" "select count(*) from call where name = 'aten::kernel' and calls > 10")" = 2 ]
ok $? "names lose the numbers of emit_nvtx and versions of the runtime"

[ "$(sql "$dir/both.db" "select group_concat(model || '.' || name || ': ' || flag, ', ') from (select * from metric where
	window = 'run' and subject = '' and value is null and model = 'host' order by name)")" = "host.io_efficiency: the\
 recorder sees no I/O, host.mpi_parallel_efficiency: the recorder sees no MPI,\
 host.synchronisation_efficiency: the recorder sees no waits of threads" ] &&
	[ "$(sql "$dir/both.db" "select count(*) from host_time where state in ('io', 'mpi', 'wait')")" = 0 ] &&
	[ "$(sql "$dir/both.db" "select count(*) from communicator")" = 0 ]
ok $? "what the report was not asked to trace is undefined, and no time of 0"

make --calls "$dir/calls.sqlite" 2 && analyze "$dir/calls.sqlite" && [ ! -s "$dir/err" ] && broken "$dir/calls.db" >"$dir/err" &&
	[ ! -s "$dir/err" ] && [ "$(sql "$dir/calls.db" "select group_concat(rank || state || (ns / 1000), ' ') from (select *
	from host_time join process on process.id = process_id where window = 'run' order by rank, state)")" = \
		"0cuda423 0io900 0mpi600 0useful3677 0wait300 1cuda423 1io900 1mpi450 1useful3827 1wait300" ]
ok $? "calls of the system and MPI: I/O, MPI, waits and work of each rank to the microsecond"

[ "$(sql "$dir/calls.db" "select group_concat(n || ':' || (end_ns - start_ns), ' ') from
	(select distinct n, start_ns, end_ns from step order by 1)")" = "0:1900000 1:1900000 2:1900000" ]
ok $? "ranges called iteration are steps"

[ "$(sql "$dir/calls.db" "select group_concat(state || (ns / 1000), ' ') from (select state, sum(ns) ns from device_time
	where window = 'run' group by state order by state)")" = "compute1200 idle:host_compute6970 idle:host_in_cuda_api60\
 idle:io_wait1800 idle:mpi_wait1050 idle:queued_other120 idle:wait600" ]
ok $? "what GPUs wait for: I/O, MPI, locks, launches; not for the call that waits for them"

[ "$(sql "$dir/calls.db" "select distinct flag from metric where value is null and model = 'replay' and
	name = 'io_efficiency'")" = "the trace has MPI calls but no messages or collectives" ] &&
	[ "$(sql "$dir/calls.db" "select count(*) from metric where name like 'storage%' and
		(value is not null or flag <> 'the recorder sees no bytes of calls')")" = 0 ]
ok $? "messages and bytes of I/O are unknown, not 0"

mkdir "$dir/hosts" && make --calls "$dir/hosts/a.sqlite" 1 0 && make --calls "$dir/hosts/b.sqlite" 1 1 && analyze "$dir/hosts" &&
	[ "$(sql "$dir/hosts/tacho.db" "select group_concat(hostname || rank, ' ') from node join process on node.id = node_id")" = \
		"node00 node11" ] &&
	[ "$(sql "$dir/hosts/tacho.db" "select group_concat(distinct start_ns) from step where n = 1")" = 2000000 ]
ok $? "reports of two hosts that started 5 ms apart: steps begin together"

cd "$dir" || exit 1
cp both.sqlite cut.sqlite && truncate -s 9000 cut.sqlite
refused "a file that was cut" "cut.sqlite is no SQLite export of Nsight Systems, or damaged" cut.sqlite
head -c 100000 /dev/urandom >noise.sqlite
refused "noise" "noise.sqlite is no SQLite export of Nsight Systems, or damaged" noise.sqlite
sqlite3 other.sqlite "create table t(a); create view NVTX_EVENTS as select 1 as globalTid, 2 as start"
refused "a database of something else" "it has no table of calls" other.sqlite
make --calls less.sqlite 1 && sqlite3 less.sqlite 'alter table OSRT_API drop column "end"'
refused "a table without ends" "its table OSRT_API lacks the column end" less.sqlite
make --calls odd.sqlite 1 && sqlite3 odd.sqlite "delete from OSRT_API;
	update CUPTI_ACTIVITY_KIND_RUNTIME set start = 'x', nameId = -1; update MPI_COLLECTIVES_EVENTS set end = 1 << 62, start = -(1 << 62);
	update CUPTI_ACTIVITY_KIND_KERNEL set deviceId = -9; update NVTX_EVENTS set start = 9223372036854775807, \"end\" = -9223372036854775807"
refused "rows without sense" "has no event that can be read" odd.sqlite
cp calls.sqlite some.sqlite && sqlite3 some.sqlite "update CUPTI_ACTIVITY_KIND_KERNEL set start = null where 0;
	update CUPTI_ACTIVITY_KIND_KERNEL set deviceId = -9 where rowid = 1; update OSRT_API set nameId = 99999 where rowid = 2"
analyze some.sqlite && grep -q '2 of [0-9]* rows of process 3000 lack a name, time, thread or stream' err
ok $? "rows without a name or device are left out and counted"
refused "a report that is not exported" "nsys export --type sqlite my.nsys-rep" my.nsys-rep
refused "a file that is not there" "cannot open\|unable to open" nowhere.sqlite
