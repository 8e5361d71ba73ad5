#!/bin/sh
# What recording cost: on real GPUs CUPTI's part of each call of CUDA counts, on stand-ins there is none.
tacho=$top_builddir/analyzer/tacho
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
echo 1..2

# cost KIND: as a share of the run, of a process with 12 calls of CUDA and one of NCCL, 20 ns each
cost() {
	mkdir -p "$dir/$1/spool"
	sed "s/^device \([0-9]* [0-9]*\) stand-in/device \1 $1/; s/^device 1 /property process.call_cost_ns 20\n&/" \
		"$top_srcdir/tests/golden/merge_gpu.txt" | "$top_builddir/tests/unit/spool_make" "$dir/$1/spool"
	"$tacho" -q merge "$dir/$1" >&2 && "$tacho" -q analyze "$dir/$1" >&2
	sqlite3 "$dir/$1/tacho.db" "select value from metric where name = 'overhead' and model = 'quality'"
}
calls() { sqlite3 "$dir/gpu/tacho.db" "select $1(calls) from call where class = 'cuda'"; }

standin=$(cost stand-in)
gpu=$(cost gpu)
life=$(sqlite3 "$dir/gpu/tacho.db" "select max(end_ns) - min(start_ns)
	from location where kind = 'cpu_thread'")
echo "# stand-in $standin, gpu $gpu, $(calls sum) calls of CUDA, $life ns"
awk -v s="$standin" -v g="$gpu" -v n="$(calls sum)" -v life="$life" 'BEGIN { exit !(s > 0 && n > 5 && (g - s) * life / n > 1799 && (g - s) * life / n < 1801) }' &&
	echo "ok 1 - calls of CUDA on a real GPU cost what CUPTI adds" || echo "not ok 1 - calls of CUDA on a real GPU cost what CUPTI adds"
error=$(sqlite3 "$dir/gpu/tacho.db" "select value from metric where name = 'overhead_error'")
awk -v e="$error" -v n="$(calls sum)" -v life="$life" 'BEGIN { exit !(e * life / n > 499 && e * life / n < 501) }' &&
	echo "ok 2 - and are known as well as that is" || echo "not ok 2 - and are known as well as that is"
