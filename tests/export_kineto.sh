#!/bin/sh
# tacho export --kineto: files that HolisticTraceAnalysis and TensorBoard read, by an independent reading of what they
# rely on (export_kineto.py), by HTA itself where it is installed, and back: tacho analyze of them gives what the run has.
. "$top_srcdir/tests/analyze_common.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
grep -q "^#define HAVE_ZLIB 1" "$top_builddir/config.h" || skip_all "tacho is built without zlib"
here=$top_srcdir/tests
standin=$top_builddir/tests/standin/cuda13
trainer=$top_builddir/examples/trainer/tacho-trainer
export TACHO_DATADIR="$top_srcdir"
sql() { sqlite3 -readonly "$1" "$2"; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
check_files() { python3 "$here/export_kineto.py" "$@" >"$dir/said" 2>"$dir/err"; }
export_to() { to=$1; shift; timeout 60 "$tacho" export "$@" --kineto "$to" 2>"$dir/err" && [ ! -s "$dir/err" ]; }
analyze() { timeout 60 "$tacho" -q analyze --db "$@" 2>"$dir/err" && [ ! -s "$dir/err" ]; }
agrees() { python3 "$here/kineto_check.py" "$@" >"$dir/err" 2>&1 && [ ! -s "$dir/err" ]; }

# What a round trip keeps: steps, kernels, copies, calls of the runtime, operations of NCCL.
cat >"$dir/kept.sql" <<'END'
select 'step', rank, n, s.end_ns - s.start_ns from step s join process p on p.id = process_id order by rank, n;
select 'kernel', name, class, sum(calls), sum(total_ns), sum(bytes) from kernel group by name, class order by name;
select 'copy', op, memory, sum(copies), sum(bytes), sum(total_ns) from copy group by op, memory order by op, memory;
select 'call', rank, c.name, calls, total_ns from call c join process p on p.id = process_id where class = 'cuda'
	order by rank, c.name;
select 'nccl', op, bytes, count(*) from collective where kind = 'nccl' group by op, bytes order by op, bytes;
END
kept() {
	for database; do sqlite3 -readonly "$database" <"$dir/kept.sql" >"$database.kept" 2>"$dir/err" || return 1; done
	[ -s "$1.kept" ] && diff "$1.kept" "$2.kept" >"$dir/err"
}

echo 1..14
SEQ=1 python3 "$here/kineto_make.py" "$dir/two" 2 5 20 >"$dir/clocks" && analyze "$dir/two.db" "$dir/two" &&
	export_to "$dir/two.out" "$dir/two" && check_files "$dir"/two.out/*.gz "$dir/two.db" &&
	grep -qx 'ranks 2 kernels 229 steps 10 nccl 10 communications 0 with kernels 0' "$dir/said"
ok $? "a file for each rank: names, categories, numbers that link, figures of the database"
analyze "$dir/back.db" "$dir/two.out" && agrees "$dir/back.db" "$dir/two/rank0.json" "$dir/two/rank1.json.gz:3217500" &&
	kept "$dir/two.db" "$dir/back.db"
ok $? "analysed again, every figure is that of the JSON in the beginning"
for database in two back; do
	sql "$dir/$database.db" "select device_id, window, state, ns from device_time order by 1, 2, 3" >"$dir/$database.states"
done
[ -s "$dir/two.states" ] && cmp -s "$dir/two.states" "$dir/back.states"
ok $? "and so is the time of devices in each state and step"

analyze "$dir/mi.db" "$here/data/kineto/hta-mi250.json.gz" && export_to "$dir/mi.out" "$here/data/kineto/hta-mi250.json.gz" &&
	check_files "$dir"/mi.out/*.gz "$dir/mi.db" && analyze "$dir/mi2.db" "$dir/mi.out" &&
	agrees "$dir/mi2.db" "$here/data/kineto/hta-mi250.json.gz" && kept "$dir/mi.db" "$dir/mi2.db"
ok $? "a training of PyTorch on AMD comes back as it was"
python3 "$here/nsys_make.py" "$dir/mi.sqlite" "$here/data/kineto/hta-mi250.json.gz" 2>"$dir/err" &&
	export_to "$dir/nsys.out" "$dir/mi.sqlite" && analyze "$dir/nsys.db" "$dir/nsys.out" &&
	agrees "$dir/nsys.db" "$here/data/kineto/hta-mi250.json.gz"
ok $? "a report of Nsight Systems becomes a trace for the same tools"

: >"$dir/failed"
for name in v13_gpu_busy_host_async v19_two_gpus_per_process v29_memcpy_bound kernels_over_steps second_thread_launches tensor_cores_graph; do
	make_case $name && analyze "$dir/$name.db" "$dir/$name/traces.otf2" && export_to "$dir/$name.out" "$dir/$name/traces.otf2" &&
		check_files "$dir/$name.out"/*.gz && analyze "$dir/$name.2.db" "$dir/$name.out" &&
		kept "$dir/$name.db" "$dir/$name.2.db" || { echo "$name" >>"$dir/failed"; cat "$dir/err" >>"$dir/failed"; }
done
cp "$dir/failed" "$dir/err"
[ ! -s "$dir/failed" ]
ok $? "worked cases with devices come back as they were"

make_case found_steps_launches && mkdir -p "$dir/run/trace" && mv "$dir"/found_steps_launches/traces* "$dir/run/trace" &&
	"$tacho" -q analyze "$dir/run" && export_to "$dir/run.out" "$dir/run" && check_files "$dir"/run.out/*.gz "$dir/run/tacho.db" &&
	grep -q ' steps 23 ' "$dir/said"
ok $? "steps that the analysis found are marked as the profiler's"
steps() { zcat "$dir"/part.out/*.gz | grep -o '"ProfilerStep#[0-9]*"' | tr -d '"\n'; }
export_to "$dir/part.out" "$dir/run" --step 7 && steps >"$dir/err" && grep -qx 'ProfilerStep#6ProfilerStep#7ProfilerStep#8' "$dir/err"
ok $? "--step: only that step, with those that touch it"
export_to "$dir/one.out" "$dir/two" --ranks 1 && [ "$(ls "$dir/one.out")" = rank1.pt.trace.json.gz ] && check_files "$dir"/one.out/*.gz
ok $? "--ranks: a file for each of these"
"$tacho" export "$dir/two" --kineto "$dir/none.out" --ranks 7 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'none of the ranks 7 is in the trace, which has 2' "$dir/err" && [ ! -e "$dir/none.out" ]
ok $? "ranks that are not there are a sentence, and leave no folder"
mkdir "$dir/full" && (ulimit -f 1; trap '' XFSZ; "$tacho" export "$dir/two" --kineto "$dir/full" 2>"$dir/err")
[ $? -eq 1 ] && grep -q 'cannot write' "$dir/err" && [ -z "$(ls -A "$dir/full")" ]
ok $? "a file that cannot be written is a sentence, and leaves nothing"

if [ -x "$trainer" ] && [ -e "$standin/libnccl.so.2" ]; then
	(cd "$dir" && OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LD_LIBRARY_PATH=$standin STANDIN_DEVICES=2 \
		STANDIN_KERNEL_NS=200000 timeout 400 "$tacho" -q record -o gpus -- mpirun --oversubscribe --bind-to none -n 2 "$trainer" --device cuda --quiet \
		--side 8 --train-samples 512 --validate-samples 16 --test-samples 16 --model mlp --batch 16 --data-dir data --epochs 1) \
		>"$dir/err" 2>&1 </dev/null && export_to "$dir/gpus.out" "$dir/gpus" &&
		check_files "$dir"/gpus.out/*.gz "$dir/gpus/tacho.db" && grep -q '^ranks 2 kernels [0-9]* steps 64 nccl 32 communications 64 with kernels 64$' "$dir/said"
	ok $? "a recorded training on stand-ins: kernels, launches, copies, steps and NCCL are the run's"
	analyze "$dir/gpus.db" "$dir/gpus.out" && kept "$dir/gpus/tacho.db" "$dir/gpus.db" &&
		[ "$(sql "$dir/gpus.db" "select group_concat(pid, ' ') from (select pid from process order by rank)")" = \
			"$(sql "$dir/gpus/tacho.db" "select group_concat(pid, ' ') from (select pid from process where rank >= 0 order by rank)")" ] &&
		[ "$(sql "$dir/gpus.db" "select hostname from node")" = "$(hostname)" ]
	ok $? "analysed again they are the same, on the same host"
else
	skip "a recorded training" "the trainer or the stand-ins are not built"
	skip "analysed again" "the trainer or the stand-ins are not built"
fi

for python in python3 /usr/bin/python3; do
	"$python" -c 'import hta.trace_analysis' >/dev/null 2>&1 && break
	python=
done
if [ "$python" ]; then
	"$python" - "$dir/two.out" "$dir/two.db" >"$dir/err" 2>&1 <<'END'
import sqlite3
import sys

from hta.trace_analysis import TraceAnalysis

analysis = TraceAnalysis(trace_dir=sys.argv[1])
breakdown = analysis.get_temporal_breakdown(visualize=False)
assert list(breakdown["rank"]) == [0, 1], breakdown
overlap = analysis.get_comm_comp_overlap(visualize=False)
assert all(5 < value < 30 for value in overlap["comp_comm_overlap_pctg"]), overlap
names = set(analysis.get_gpu_kernel_breakdown(visualize=False)[1]["name"])
assert names == {row[0] for row in sqlite3.connect(sys.argv[2]).execute(
    "select name from kernel where class <> 'memory'")} | {"Memcpy HtoD (Pinned -> Device)", "Memset (Device)"}, names
END
	ok $? "HolisticTraceAnalysis reads them: ranks, breakdown, overlap, kernels"
else
	skip "HolisticTraceAnalysis reads them" "the Python package HolisticTraceAnalysis is not installed"
fi
