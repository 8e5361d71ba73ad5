#!/bin/sh
# NCCL in CUDA graphs on stand-ins: each kernel that a graph launches has its operation, whose place is
# the same on all ranks, and a call that was captured counts for none.
. "$top_srcdir/tests/collector_common.sh"
graph=$top_builddir/tests/e2e/nccl_graph
standins=$top_builddir/tests/standin
tacho=$top_builddir/analyzer/tacho
if [ ! -x "$graph" ]; then
	echo "1..0 # SKIP no CUDA toolkit, or no nccl.h"
	exit
fi
echo 1..12
LD_LIBRARY_PATH=$standins/cuda13${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
STANDIN_DEVICES=4
export LD_LIBRARY_PATH STANDIN_DEVICES

# run NAME PROCESSES [FIRST LAST]: all ranks at once; what they say goes to $tmp/NAME.said
run()
{
	name=$1 processes=$2
	shift 2
	mkdir "$tmp/$name.id"
	pids=
	rank=0
	while [ "$rank" -lt "$processes" ]; do
		env LD_PRELOAD="$lib" TACHO_DIR="$tmp/$name" RANK=$rank WORLD_SIZE="$processes" LOCAL_RANK=$rank \
			CUDA_VISIBLE_DEVICES=$rank timeout 60 "$graph" $rank "$processes" "$tmp/$name.id" "$@" \
			>"$tmp/$name.said.$rank" 2>"$tmp/$name.err.$rank" &
		pids="$pids $!"
		rank=$((rank + 1))
	done
	status=0
	for pid in $pids; do
		wait "$pid" || status=$?
	done
	cat "$tmp/$name".said.* >"$tmp/$name.said"
	cat "$tmp/$name".err.*
	return $status
}

# seen NAME [MODE]: merges, analyses and compares with what was said
seen()
{
	"$tacho" merge "$tmp/$1" >"$tmp/merge" && "$tacho" analyze "$tmp/$1" >"$tmp/analyze" 2>&1 &&
		"$tacho" dump "$tmp/$1" >"$tmp/dump" || { cat "$tmp/merge" "$tmp/analyze"; return 1; }
	python3 "$top_srcdir/tests/nccl_graph_check.py" "$tmp/dump" "$tmp/$1/tacho.db" "$tmp/$1.said" ${2:+"$2"}
}

ok "graphs of one process give their results" run one 1
ok "each kernel of a graph has its operation" seen one
ok "graphs of three processes" run three 3
ok "places of operations are equal on all ranks, in each launch" seen three
alike()
{
	for jobs in 1 3; do
		"$tacho" analyze "$tmp/three/trace/traces.otf2" --jobs $jobs --db "$tmp/three.$jobs" >"$tmp/analyze" 2>&1 || return 1
	done
	python3 "$top_srcdir/tests/database_equal.py" "$tmp/three.1" "$tmp/three.3"
}
ok "several processes of analyze find the same" alike
again() { run cupti12 2 && seen cupti12; }
TACHO_CUPTI=$standins/cuda12/libcupti.so.12
export TACHO_CUPTI
ok "with the record layouts of CUDA 12" again
unset TACHO_CUPTI
older() { run older 2 && seen older; }
STANDIN_FAULT=older
export STANDIN_FAULT
ok "and of CUDA 11.4" older
parts() { run parts 2 && seen parts part; }
STANDIN_FAULT=dropped=5
ok "where CUPTI drops kernels, the others keep their places" parts
unset STANDIN_FAULT
windows() { run window 2 2 3 && seen window window; }
TACHO_STEPS=2:3
export TACHO_STEPS
ok "launches in a window of steps, behind the captures" windows
unset TACHO_STEPS
STANDIN_FAULT=nonodes
export STANDIN_FAULT
ok "where CUPTI does not name nodes the program runs" run nonodes 2
unset STANDIN_FAULT
seen nonodes >"$tmp/missing"
ok "kernels of graphs have no operation then" grep "a kernel without its operation" "$tmp/missing"
ok "and the analysis says so" sh -c "sqlite3 '$tmp/nonodes/tacho.db' 'select distinct flag from metric' |
	grep 'does not say which communicators the NCCL kernels belong to'"
