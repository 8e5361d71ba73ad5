#!/bin/sh
# The knobs change where time goes, never what is learned: every way of
# summing gradients, and every planted trouble but a kill, gives the same weights.
. "$top_srcdir/tests/trainer_common.sh"
plan 17

run() {
	out=$1
	shift
	train 4 --steps 12 --warmup 3 --dump-weights "$out" "$@"
}

fact() {
	sed -n "s/^$2 //p" "$1"
}

says() {
	grep -q "$1" log || { sed 's/^/# /' log; false; }
}

run base
run thread --overlap thread --fusion 0.05 --truth thread.t
check "a thread that sums under the backward pass" close_to base thread 1e-5
check "it sums every bucket" [ "$(fact thread.t.3 'mpi MPI_Allreduce')" = \
	"calls $((12 * 3 + 3 + 3)) bytes $((12 * 72042 * 4 + 3 * 24 + 3 * 4))" ]
run nonblocking --overlap nonblocking --fusion 0 --truth nb.t
check "non-blocking sums" close_to base nonblocking 1e-5
check "one per tensor, and one wait per step" [ \
	"$(fact nb.t.2 'mpi MPI_Iallreduce') $(fact nb.t.2 'mpi MPI_Waitall')" = \
	"calls $((12 * 8)) bytes $((12 * 72042 * 4)) calls 12 bytes 0" ]
run nodes --allreduce hierarchical --node-size 3 --truth nodes.t
check "sums within and between nodes" close_to base nodes 1e-5
check "only the first ranks of nodes talk to each other" [ \
	"$(fact nodes.t.1 'mpi MPI_Allreduce')" = \
	"calls 6 bytes $((3 * 24 + 3 * 4))" ]
run shared --allreduce hierarchical --overlap thread
check "nodes found by shared memory, in a thread" close_to base shared 1e-5
run tiny --plant tiny-messages --truth tiny.t
check "tiny messages" close_to base tiny 1e-5
check "of 1 KiB each" [ "$(fact tiny.t.0 'mpi MPI_Allreduce' | cut -d' ' -f2)" -gt $((12 * 72042 / 256)) ]
run slow --plant slow-rank:1:2:3,slow-storage:0.2,late-launch:1,wrong-pinning,spinning-threads:2
check "a slow rank, slow storage, late launches, spinning threads and wrong pinning" cmp base slow
run shared.out --threads 4
check "products by several threads" close_to base shared.out 1e-5
run serial --test-phase serial --lr-schedule step
check "another schedule gives other weights" sh -c "! cmp -s base serial"

# Preprocessing: enlarging once or in every epoch is the same; flips and blends differ by epoch.
run online --upsample 2 --batch 32
run offline --upsample 2 --batch 32 --preprocess offline --data-dir large
check "pictures enlarged offline or online give the same bits" cmp online offline
check "offline needs a data set of its own" sh -c "! cmp -s data/dataset.txt large/dataset.txt"
run mixed --flip --mixup 0.3 --readers 3
run mixed.again --flip --mixup 0.3 --readers 1
check "flips and blends do not depend on timing" cmp mixed mixed.again
check "and change what is learned" sh -c "[ -s mixed ] && ! cmp -s base mixed"

train 2 --workload gnmt --scale 5000 --steps 3 --data-dir proxy
check "a proxy says that it is one, and its scale" says \
	"a proxy of GNMT, not the network itself; a step is scaled by 1/5000"
