#!/bin/sh
# Two nodes that read the same files from slow storage: found, with their number; silent when the
# storage is quick.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
cluster_up 2

# same_files OPTIONS...: prints the finding's message, or nothing
same_files() {
	rm -rf run
	timeout 150 "$cluster" run tacho -q record -o run -- mpirun -n 2 "$trainer" --quiet --data-dir data \
		--side 16 --train-samples 512 --shard-samples 128 --validate-samples 32 --test-samples 32 "$@" >out 2>&1 ||
		{ cat out; return 1; }
	query "select message from finding where rule = 'input_same_files'" run
}

found() {
	case $(same_files --epochs 2 --plant slow-storage:2) in
	"all 2 nodes read the same "*) ;;
	*) query "select rule, message from finding" run; cat out; return 1 ;;
	esac
}

silent() {
	same "$(same_files --epochs 2)" ""
}

check "all nodes read the same files" found
check "no finding where nobody waits for them" silent
plan
