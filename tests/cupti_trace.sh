#!/bin/sh
# GPUs are recorded as the program says that it used them: kernels, copies and bytes, with
# graphs, threads and limits of the capture, on the record layouts of CUDA 11, 12 and 13.
. "$top_srcdir/tests/cupti_common.sh"
need 96
run=$tmp/run

# Every activity has one launch, which was begun before it.
launches_complete()
{
	timeout 60 otf2-print "$run/trace/traces.otf2" 2>/dev/null | head -c 20000000 >"$tmp/events"
	timeout 60 otf2-print -G "$run/trace/traces.otf2" 2>/dev/null |
		sed -n 's/^LOCATION  *\([0-9]*\) .*Type: ACCELERATOR_STREAM.*/stream \1/p' >"$tmp/streams"
	awk '/^stream/ { streams[$2]; next }
		/^ENTER/ { at = $2; time = $3; next }
		match($0, /"tacho.correlation" <[0-9]*>; UINT64; [0-9]+/) {
			number = substr($0, RSTART, RLENGTH); sub(/.* /, "", number)
			if (at in streams) {
				activities++
				if (!(number in launched) || launched[number] > time) wrong++
			} else {
				launched[number] = time
			}
		}
		END { print activities + 0, "activities", wrong + 0, "without launch"; exit wrong || !activities }' \
		"$tmp/streams" "$tmp/events"
}

for version in 12 13; do
	for mode in "" graph threads; do
		loop $version -- 6 20 $mode
		ok "CUDA $version $mode: activities are what the program did" counts_agree
		ok "CUDA $version $mode: every activity has its launch" launches_complete
		ok "CUDA $version $mode: checks hold" checks_hold
		ok "CUDA $version $mode: nothing is lost or said" same "$(lost)$(grep -c ^tacho "$tmp/err")" 0
	done
done

# By the driver's callbacks alone, and without any: the kernels are the same.
export TACHO_GPU_LAUNCHES=driver
loop 13 -- 6 20
ok "launches by the driver's callbacks: activities are what the program did" counts_agree
ok "every activity has its launch" launches_complete
ok "checks hold" checks_hold
ok "and launches have the driver's name" same "$(sql "select group_concat(name || ' ' || calls) from call where name glob 'cu*LaunchKernel*'")" "cuLaunchKernel 120"
TACHO_GPU_LAUNCHES=none
loop 13 -- 6 20
ok "no launches: activities are what the program did" counts_agree
ok "checks hold" checks_hold
ok "and there is no launch" same "$(sql "select count(*) from call where name glob 'cu*LaunchKernel*'") $(property gpu_launches)" "0 none"

# By records of CUPTI's: the same calls as by callbacks, in the same threads and streams.
# made MODE: calls of CUDA by thread, with device and stream, how often. Threads and their streams have no
# fixed numbers, and a record of a launch into a graph names no stream.
made()
{
	case $1 in graph | threads) columns='$1, $3' ;; *) columns='$1, $2, $3, $4' ;; esac
	"$tacho" dump "$run" | sed -n 's/.* \([^ ]*\) enter "\(cu[A-Za-z]*\)"\(.*"tacho.device"=\([0-9]*\) "tacho.stream"=\([0-9]*\)\)\{0,1\}.*/\1 \2 \4:\5/p' |
		sort | uniq -c | awk "{ print $columns }" | sort
}
for mode in "" graph threads apart; do
	TACHO_GPU_LAUNCHES=both
	loop 13 -- 6 20 $mode
	made $mode >"$tmp/made"
	TACHO_GPU_LAUNCHES=records
	loop 13 -- 6 20 $mode
	ok "launches by records $mode: activities are what the program did" counts_agree
	ok "every activity has its launch, begun before it" launches_complete
	ok "checks hold" checks_hold
	ok "nothing is lost or said" same "$(lost)$(property gpu_launches)$(grep ^tacho "$tmp/err")" records
	ok "and the calls are those of callbacks" same "$(made $mode)" "$(cat "$tmp/made")"
done
loop 13 -- 3 40 threads100
ok "a hundred threads that launch, by records: every launch once, nothing is lost" same \
	"$(sql "select sum(calls) from call where name glob 'cu*LaunchKernel*'") $(lost)$(found)" "$(sed -n 's/^kernels //p' "$tmp/out") $(printed)"
loop 13 -- 20 10 guest
ok "a profiler that switches records itself: every launch once, by callbacks then" same \
	"$(sql "select sum(calls) from call where name glob 'cu*LaunchKernel*'") $(found)" "200 $(printed)"
ok "checks hold" checks_hold
loop 12 -- 6 20
ok "CUPTI before 12.6 has no such records: callbacks, which is said" same \
	"$(sql "select calls from call where name glob 'cu*LaunchKernel*'") $(said 'launches are recorded by callbacks') $(property gpu_launches)" \
	"120  both: CUPTI has no records of launches here"
loop 13 --steps 1:2 -- 6 20
ok "nor have they a capture window" same "$(found)" "kernels 40 h2d 4 d2h 2 sets 0 bytes 24000 "
unset TACHO_GPU_LAUNCHES

# Blackwell's hardware events: only with the driver initialised, and only there.
TACHO_GPU_HARDWARE=1 STANDIN_HARDWARE_EVENTS=1 loop 13 -- 4 10
ok "times by hardware events are used where they are" same "$(property gpu_hardware) $(found)" "on $(printed)"
TACHO_GPU_HARDWARE=1 loop 13 -- 4 10
ok "and elsewhere not" same "$(property gpu_hardware) $(found)" "off: CUPTI_ERROR_NOT_SUPPORTED $(printed)"

# Whole graphs: one activity for each launch, which covers all nodes, unless the graph has NCCL's.
TACHO_GPU_GRAPHS=whole loop 13 -- 6 20 graph
ok "a launch of a whole graph is one activity" same \
	"$(property gpu_graphs) $(sql "select sum(calls) from kernel where name = 'CUDA graph'")" \
	"whole $(sql "select sum(calls) from call where name = 'cudaGraphLaunch'")"
ok "every activity has its launch, begun before it" launches_complete
ok "checks hold" checks_hold
ok "nothing is lost or said" same "$(lost)$(grep ^tacho "$tmp/err")" ""

# Nothing but launches shows the steps. The first begins after the first launch of all, or of its own.
found_steps()
{
	sql "select count(*) in (29, 30), count(*) = max(n) + 1, max(confidence) < 1 and min(confidence) > 0.9 from step"
}

# launched REGION: how often each step launches it, without repetitions
launched()
{
	sql "select start_ns, end_ns from step order by n" >"$tmp/windows"
	"$tacho" dump "$run" | grep "enter \"$1\"" | awk 'NR == FNR { from[NR] = $1; to[NR] = $2; n = NR; next }
		{ for (i = 1; i <= n; i++) if ($1 >= from[i] && $1 < to[i]) count[i]++ }
		END { for (i = 1; i <= n; i++) print count[i] + 0 }' "$tmp/windows" - | sort -u
}
for mode in unmarked unmarked_graph elsewhere; do
	call=cudaLaunchKernel number=20
	[ $mode != unmarked_graph ] || call=cudaGraphLaunch number=1
	loop 13 -- 30 20 $mode
	ok "$mode: steps are found by what is launched" same "$(found_steps)" "1 1 1"
	ok "$mode: each launches what one of the program does" same "$(launched $call)" $number
	ok "$mode: checks hold" checks_hold
done

# The table of a study, too, shows that its GPUs are emulated.
LD_LIBRARY_PATH=$standin/cuda13 RANK=0 WORLD_SIZE=1 timeout 200 "$tacho" sweep -o "$tmp/study" --format csv -k steps=3,4 -- \
	"$top_builddir/tests/cupti/loop13" '{steps}' 5 >"$tmp/table" 2>"$tmp/err"
ok "a study of emulated GPUs is marked in each row" same "$(awk -F, 'NR > 1 { print $1, $NF }' "$tmp/table" | tr -d '\r' | tr '\n' ' ')" \
	"3 emulated GPUs 4 emulated GPUs "

# Within a budget: exact totals of what is not in detail, which is no work and not idle.
loop 13 --max-size 64K -- 40 400
ok "within a budget: activities are what the program did" counts_agree
ok "checks hold" checks_hold
ok "nothing is lost or said" same "$(lost)$(grep -c ^tacho "$tmp/err")" 0
ok "of each device a part is not in detail, and its states are all of the run" same "$(sql "select count(*) from (
	select sum(ns) as ns, sum(ns) filter (where state = 'not_in_detail') as summed from device_time
	where window = 'run' group by device_id) where summed > 0 and ns = (select duration_ns from run)")" 2

# calls REGION: where its calls were recorded to be: device and stream, how often
calls()
{
	"$tacho" dump "$run" | sed -n "s/.* enter \"$1\".*\"tacho.device\"=\([0-9]*\) \"tacho.stream\"=\([0-9]*\).*/\1:\2/p" |
		sort | uniq -c | tr -s ' \n' ' '
}
loop 13 -- 6 20 apart
ok "streams of another device: activities are what the program did" counts_agree
ok "every activity has its launch" launches_complete
ok "checks hold" checks_hold
ok "copies are on the device of their stream" same "$(calls cudaMemcpyAsync)" " 6 0:13 12 0:14 6 1:14 "
ok "waits, too" same "$(calls cudaStreamSynchronize)" " 6 0:13 6 1:14 "

# CUDA 13 gives each thread that launches a buffer; ours are zero, or CUPTI writes them in those threads
STANDIN_FAULT=buffers loop 13 -- 3 40 threads100
ok "a hundred threads that launch: activities are what the program did" counts_agree
ok "nothing is lost, and CUPTI zeroes no buffer" same "$(lost)$(grep ^standin "$tmp/err")" \
	"standin: 0 buffers zeroed for the client, 0 of its zeroed ones not zero"
STANDIN_FAULT=older loop 12 -- 6 20
ok "records of CUDA 11 are read" counts_agree

loop 13 -- 6 500 wakes
ok "wakes of nobody between launches: all count" same "$(sql "select calls from call where name = 'pthread_cond_signal'")" 6000
ok "most are summed" [ "$("$tacho" dump "$run" | grep -c 'enter "pthread_cond_signal"')" -lt 1500 ]
ok "checks hold" checks_hold

loop 13 -- 4 5
ok "the devices are named and labelled" same \
	"$(sql "select count(*) || ' ' || kind || ' ' || count(distinct uuid) from device group by kind")" "2 stand-in 2"
ok "host memory of copies is reported" same "$(sql "select group_concat(op || ' ' || memory || ' ' || copies)
	from (select * from copy where memory <> '' order by op, memory)")" \
	"memcpy_d2h pinned 4,memcpy_h2d pageable 4,memcpy_h2d pinned 4"
ok "streams that did nothing, as a context's own seven, have no place in the trace" same "$(sql "select count(*)
	from location where kind = 'accelerator_stream' and nevents = 0 and name not like '%:0]'")" 0
loop 13 --steps 1:2 -- 6 20
ok "of steps 1 and 2 only what they launched is there" same "$(found)" "kernels 40 h2d 4 d2h 2 sets 0 bytes 24000 "
loop 13 --ranks 1 -- 6 20
ok "a rank that is left out has no GPU tracing" same "$(property gpu_tracing)" ""
TACHO_GPU=0 loop 13 -- 6 20
ok "TACHO_GPU=0 records no GPU" same "$(property gpu_tracing) $(sql 'select count(*) from kernel')" "off: TACHO_GPU=0 0"
held() { sql "select cast(max(value) as integer) from sample where name = 'proc.gpu.0.held_most';
	select cast(value as integer) from sample where name = 'proc.gpu.0.held' order by t_ns desc limit 1" | tr '\n' ' '; }
loop 13 -- 20 20 memory
ok "memory of the device that was held at most, and then" same "held $(held)" "$(grep '^held' "$tmp/out") "
ok "is a figure of the rank's GPU" same "$(sql "select subject, value from metric where name = 'memory_held_peak' and flag is null")" \
	"gpu:0:0 $(sed -n 's/^held \([0-9]*\) .*/\1.0/p' "$tmp/out")"
loop 13 --steps 1:2 -- 6 20 memory
ok "what was taken outside of the captured steps is held, too" same "held $(held)" "$(grep '^held' "$tmp/out") "
