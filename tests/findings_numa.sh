#!/bin/sh
# A rank on CPUs of another NUMA node than its GPU is found, one near it is not. The machine's two
# nodes and the GPU's place are told by a /sys of the test's own, in a mount namespace.
. "$top_srcdir/tests/e2e/lib.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
standin=$top_builddir/tests/standin/cuda13
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
[ -e "$standin/libnccl.so.2" ] || skip_all "the stand-ins are not built (no CUDA toolkit)"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
command -v taskset >/dev/null || skip_all "taskset is not installed"
[ "$(id -u)" = 0 ] || skip_all "another /sys needs root"
unshare -m true 2>/dev/null || skip_all "there are no mount namespaces here"
not_sanitized
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')	# a CPU that may be used

cat >numa <<'END'
pci=/sys/bus/pci/drivers nodes=/sys/devices/system/node
mount -t tmpfs none $pci && mkdir -p "$pci/nvidia/0000:10:00.0" && echo 1 >"$pci/nvidia/0000:10:00.0/numa_node" &&
	mount -t tmpfs none $nodes && mkdir $nodes/node0 $nodes/node1 && echo 0-1 >$nodes/online &&
	echo "$1" >$nodes/node0/cpulist && echo "$2" >$nodes/node1/cpulist || exit 9
shift 2
exec "$@"
END

# far NODE0'S NODE1'S: recorded on the first CPU, with these CPUs on two NUMA nodes; what is found
far() {
	rm -rf run
	STANDIN_DEVICES=1 STANDIN_KERNEL_NS=200000 STANDIN_PAGEABLE_GBS=0.002 LD_LIBRARY_PATH=$standin \
		timeout 60 unshare -m sh numa "$1" "$2" "$tacho" -q record -o run -- taskset -c "$first" "$trainer" \
		--device cuda --quiet --side 8 --train-samples 512 --validate-samples 16 --test-samples 16 --model mlp \
		--hidden 8 --batch 16 --epochs 4 --pageable --data-dir data >log 2>&1 </dev/null || { cat log; return 1; }
	query "select message from finding where rule = 'pinning' and variant = 'gpu'" run
}

check "a rank far from its GPU" same "$(far "$first" "$((first + 1))" | sed 's/ on [^ ]* runs/ runs/')" \
	"1 rank is on CPUs far from its GPU: rank 0 runs on NUMA node 0, its GPU is attached to NUMA node 1"
check "the report marks it" sh -c '"$1" report run >/dev/null && grep -q "emulated GPU 0 is on NUMA 1, the rank on 0" run/report/pinning.csv' \
	sh "$tacho"
check "no finding near it" same "$(far "$((first + 1))" "$first")" ""
plan
