#!/bin/sh
# Traces of torch.profiler: the database against an independent computation from the JSON (kineto_check.py),
# of jobs whose times are known and of real traces; damaged and hostile files get one sentence.
. "$top_srcdir/tests/analyze_common.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
grep -q "^#define HAVE_ZLIB 1" "$top_builddir/config.h" || skip_all "tacho is built without zlib"
here=$top_srcdir/tests
analyze() { timeout 60 "$tacho" analyze "$@" 2>"$dir/err"; }
sql() { sqlite3 -readonly "$1" "$2"; }

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
lines() { printf '%s\n' "$@"; }

echo 1..38
python3 "$here/kineto_make.py" "$dir/two" >"$dir/clocks" && analyze "$dir/two" && [ ! -s "$dir/err" ] &&
	agrees "$dir/two/tacho.db" "$dir/two/rank0.json" "$dir/two/rank1.json.gz:3217500"
ok $? "2 ranks, clocks 3.2 ms apart, one file begins an operation later: every figure is that of the JSON"

timeout 60 "$tacho" -v analyze --db "$dir/other.db" "$dir/two" 2>"$dir/err"
grep -q 'rank 1, clock +3217500 ns, residual 0 ns' "$dir/err"
ok $? "the clocks are aligned exactly"

[ "$(sql "$dir/two/tacho.db" "select group_concat(op || bytes || coalesce(last_rank, '-') || (algbw > 0), ' ')
	from (select * from collective where seq > (select min(seq) from collective) order by seq)")" = \
	"allreduce400000401 allreduce400000011 allreduce400000401 allreduce400000011 allreduce400000401" ]
ok $? "each all-reduce has its bytes, a rate and the rank that came last"

[ "$(sql "$dir/two/tacho.db" "select algbw is null and busbw is null from collective order by seq limit 1")" = 1 ]
ok $? "one that a file lacks has no rate"

[ "$(sql "$dir/two/tacho.db" "select group_concat(distinct name) || group_concat(distinct kind) from device")" = \
	"NVIDIA H100 80GB HBM3gpu" ]
ok $? "the device has its name"

analyze "$dir/two" && [ "$(sql "$dir/two/tacho.db" "select count(*) from run")" = 1 ] &&
	analyze --db "$dir/other.db" "$dir/two" && [ "$(sql "$dir/other.db" "select count(*) from run")" = 1 ]
ok $? "analysed again it is the same run"

"$tacho" report --summary "$dir/two" >"$dir/err" 2>&1 && grep -q '2 ranks, 2 GPUs' "$dir/err" &&
	grep -q 'NCCL wait' "$dir/err"
ok $? "the summary has its ranks, GPUs and waits"

[ "$(sql "$dir/two/tacho.db" "select group_concat(model || '.' || name || ': ' || flag, ', ') from (select * from metric
	where window = 'run' and subject = '' and value is null and (model = 'host' or name = 'io_efficiency' or
	name = 'load_balance' and model = 'mpi') order by model, name)")" = "host.io_efficiency: the recorder sees no I/O,\
 host.mpi_parallel_efficiency: the recorder sees no MPI,\
 host.synchronisation_efficiency: the recorder sees no waits of threads, mpi.load_balance: the recorder sees no MPI,\
 replay.io_efficiency: the recorder sees no I/O" ] &&
	[ "$(sql "$dir/two/tacho.db" "select count(*) from host_time where state in ('io', 'mpi', 'wait')")" = 0 ] &&
	"$tacho" stats --format csv "$dir/two" hosts | grep -q '^rank 0,unknown host,run,[0-9]*,,,0,[0-9]*,,0,0'
ok $? "what a profiler does not see is undefined, and no time of 0"

SEQ=1 python3 "$here/kineto_make.py" "$dir/four" 4 5 600 >"$dir/clocks" && analyze --label job "$dir"/four/*.json* &&
	agrees "$dir/four/tacho.db" "$dir/four/rank0.json" "$dir/four/rank1.json.gz:3217500" \
		"$dir/four/rank2.json:6435000" "$dir/four/rank3.json.gz:9652500" &&
	[ "$(sql "$dir/four/tacho.db" "select label from run")" = job ]
ok $? "4 ranks with 3 MB each, compressed ones read ahead; operations have NCCL's numbers"

mkdir "$dir/alone" && cp "$dir/two/rank0.json" "$dir/alone/host7_4000.1735632360.pt.trace.json" &&
	analyze "$dir/alone/host7_4000.1735632360.pt.trace.json" &&
	[ "$(sql "$dir/alone/host7_4000.1735632360.db" "select hostname || label from run join node")" = \
		"host7host7_4000.1735632360" ]
ok $? "one file: its database lies beside it, its name has the host"

[ "$(sql "$dir/alone/host7_4000.1735632360.db" "select count(*) from collective where algbw is null")" = 6 ] &&
	[ "$(sql "$dir/alone/host7_4000.1735632360.db" "select size from communicator")" = 2 ] &&
	[ "$(sql "$dir/alone/host7_4000.1735632360.db" "select group_concat(distinct state) from device_time where ns and
		state like 'nccl%'")" = nccl ]
ok $? "of a communicator of 2 whose other rank has no file, neither rate nor waits are known"

# The functions that a profiler sees and those that Python's sees end by different clocks.
python3 - "$dir/crossing.json" <<'END'
import json, sys
event = lambda cat, name, ts, dur, tid=1: {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur}
json.dump({"traceEvents": [event("python_function", "f object at 0x7f00 of f", 0, 50), event("python_function", "g", 1, 40),
    event("user_annotation", "ProfilerStep#1", 30, 100), event("cpu_op", "a", 100, 31), event("python_function", "h", 120, 500),
    event("cpu_op", "b", 400, 10, 2), event("cpu_op", "c", 405, 10, 2), event("cpu_op", "d", 406, 2, 2),
    event("cpu_op", "b", float("nan"), 1), event("cpu_op", "", 1, 1), event("cpu_op", "b", 1, -1), event("cpu_op", "b", 1e300, 1)]},
    open(sys.argv[1], "w"))
END
analyze "$dir/crossing.json" && grep -q '4 of 12 events lack a name, time, thread or stream' "$dir/err" &&
	[ "$(sql "$dir/crossing.db" "select group_concat(name || '=' || total_ns, ' ') from (select * from call where calls
		order by name)")" = "a=30000 b=10000 c=10000 d=2000 f object of f=30000 g=29000 h=10000 step=100000" ] &&
	[ "$(sql "$dir/crossing.db" "select group_concat(start_ns || '-' || end_ns) from step")" = 30000-130000 ]
ok $? "what crosses: functions of Python are cut, others lie side by side, broken events are counted"

for sample in hta-mi250 torch-1.13-cpu; do
	analyze --db "$dir/$sample.db" "$here/data/kineto/$sample.json.gz" && agrees "$dir/$sample.db" "$here/data/kineto/$sample.json.gz"
	ok $? "$sample: every figure is that of the JSON"
done
[ "$(sql "$dir/torch-1.13-cpu.db" "select count(*) from step")" = 5 ]
ok $? "torch-1.13-cpu: 5 steps"
set -- "$here/data/kineto/torch-2.6-gloo-rank0.json.gz" "$here/data/kineto/torch-2.6-gloo-rank1.json.gz"
analyze --db "$dir/gloo.db" "$@" && agrees "$dir/gloo.db" "$@" && [ "$(sql "$dir/gloo.db" "select (select count(*) from step) || ' '
	|| (select group_concat(calls, ' ') from (select calls from call where name = 'gloo:all_reduce' order by process_id))")" = "10 5 5" ]
ok $? "torch-2.6-gloo: two ranks, each with 5 steps and 5 all-reduces"
golden traces_gloo "$dir/gloo.db"
ok $? "its database is the expected one"
golden traces_mi250 "$dir/hta-mi250.db"
ok $? "that of an AMD GPU, too"

traces=${TACHO_TRACES:-$top_srcdir/../shared/traces}/kineto
for sample in hta-alexnet hta-nccl tracelens-mi300-bert; do
	if [ -f "$traces/$sample.json.gz" ]; then
		analyze --db "$dir/$sample.db" "$traces/$sample.json.gz" && agrees "$dir/$sample.db" "$traces/$sample.json.gz"
		ok $? "$sample: every figure is that of the JSON"
	else
		n=$((n + 1))
		echo "ok $n - $sample # SKIP no $sample.json.gz in $traces (set TACHO_TRACES)"
	fi
done
if [ -f "$traces/hta-sampled-rank0.json.gz" ]; then
	analyze --db "$dir/sampled.db" "$traces/hta-sampled-rank0.json.gz" "$traces/hta-sampled-rank1.json.gz"
	grep -q 'no three collectives' "$dir/err" && agrees "$dir/sampled.db" "$traces/hta-sampled-rank0.json.gz" "$traces/hta-sampled-rank1.json.gz"
	ok $? "hta-sampled: 2 ranks without arguments of NCCL: every figure is that of the JSON"
else
	n=$((n + 1))
	echo "ok $n - hta-sampled # SKIP no hta-sampled-rank0.json.gz in $traces (set TACHO_TRACES)"
fi

mkdir "$dir/bad"
cd "$dir/bad" || exit 1
head -c 5000 "$dir/two/rank0.json" >cut.json
refused "a file that was cut" "cut.json is no trace of torch.profiler, or damaged: it ends" cut.json
head -c 900 "$dir/two/rank1.json.gz" >cut.json.gz
refused "a compressed file that was cut" "cut.json.gz .*cannot be read to its end" cut.json.gz
: >empty.json
refused "an empty file" "empty.json is no trace" empty.json
lines '{"traceEvents": []}' >none.json
refused "no event" "it has no event" none.json
python3 -c 'print("[" * 1000000)' >deep.json
refused "a million arrays in each other" "other elements" deep.json
python3 -c 'print("{\"a\":" * 1000000)' >deep.json
refused "a million objects in each other" "nested deeper than 512" deep.json
python3 -c 'print("{\"traceEvents\": [{\"ph\": \"X\", \"args\": " + "{\"a\": " * 600)' >deep2.json
refused "objects in arguments" "nested deeper than 512" deep2.json
python3 -c 'print("{\"traceEvents\": [{\"name\": \"" + "a" * 17000000 + "\"}]}")' >long.json
refused "a name of 17 MB" "longer than 16 MiB" long.json
lines '{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": [1], "dur": 1}]}' >list.json
refused "a list for a time" "lists for numbers" list.json
lines '{"traceEvents": [1, 2]}' >numbers.json
refused "numbers for events" "other elements" numbers.json
lines '{"traceEvents": [], "a": 01}' >zero.json
refused "a number that is none" "it is not JSON" zero.json
lines '{"traceEvents": []} {}' >more.json
refused "something behind" "something follows" more.json
head -c 100000 /dev/urandom >noise.json
refused "noise" "noise.json is no trace" noise.json
lines '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"correlation": 99999999999999999999}}]}' >kernel.json
refused "only kernels" "no event of a thread" kernel.json
refused "two files of one rank" "are both of rank 0" "$dir/two/rank0.json" "$dir/alone/host7_4000.1735632360.pt.trace.json"
refused "a file that is not there" "cannot read" nowhere.json
