#!/bin/sh
# NCCL in CUDA graphs on stand-ins: each kernel that a graph launches has its operation, whose place is
# the same on all ranks, and a call that was captured counts for none.
. "$top_srcdir/tests/nccl_common.sh"
nccl_plan 14
own_device=yes

# graph NAME PROCESSES [FIRST LAST]
graph()
{
	name=$1 processes=$2
	shift 2
	run "$name" "$processes" nccl_graph "$@"
}

seen() { compared "$1" nccl_graph_check.py "${2:-}"; }

ok "graphs of one process give their results" graph one 1
ok "each kernel of a graph has its operation" seen one
ok "graphs of three processes" graph three 3
ok "places of operations are equal on all ranks, in each launch" seen three
alike()
{
	for jobs in 1 3; do
		"$tacho" analyze "$tmp/three/trace/traces.otf2" --jobs $jobs --db "$tmp/three.$jobs" >"$tmp/analyze" 2>&1 || return 1
	done
	python3 "$top_srcdir/tests/database_equal.py" "$tmp/three.1" "$tmp/three.3"
}
ok "several processes of analyze find the same" alike
again() { graph cupti12 2 && seen cupti12; }
TACHO_CUPTI=$standins/cuda12/libcupti.so.12
export TACHO_CUPTI
ok "with the record layouts of CUDA 12" again
unset TACHO_CUPTI
records() { graph records 2 && seen records &&
	same "$(sqlite3 "$tmp/records/tacho.db" "select group_concat(distinct value) from environment where key = 'gpu_launches'")" records; }
TACHO_GPU_LAUNCHES=records
export TACHO_GPU_LAUNCHES
ok "with launches by records" records
unset TACHO_GPU_LAUNCHES
nodes() { graph nodes 2 && seen nodes &&
	same "$(sqlite3 "$tmp/nodes/tacho.db" "select group_concat(distinct value) from environment where key = 'gpu_graphs'")" \
		"nodes: a graph has calls of NCCL"; }
TACHO_GPU_GRAPHS=whole
export TACHO_GPU_GRAPHS
ok "whole graphs are recorded by node once NCCL is in one" nodes
unset TACHO_GPU_GRAPHS
older() { graph older 2 && seen older; }
STANDIN_FAULT=older
export STANDIN_FAULT
ok "and of CUDA 11.4" older
parts() { graph parts 2 && seen parts part; }
STANDIN_FAULT=dropped=5
ok "where CUPTI drops kernels, the others keep their places" parts
unset STANDIN_FAULT
windows() { graph window 2 2 3 && seen window window; }
TACHO_STEPS=2:3
export TACHO_STEPS
ok "launches in a window of steps, after the captures" windows
unset TACHO_STEPS
STANDIN_FAULT=nonodes
export STANDIN_FAULT
ok "where CUPTI does not name nodes the program runs" graph nonodes 2
unset STANDIN_FAULT
seen nonodes >"$tmp/missing"
ok "kernels of graphs have no operation then" grep "a kernel without its operation" "$tmp/missing"
ok "and the analysis says so" sh -c "sqlite3 '$tmp/nonodes/tacho.db' 'select distinct flag from metric' |
	grep 'does not have the communicators of the communication kernels'"
