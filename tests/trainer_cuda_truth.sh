#!/bin/sh
# A recording of the trainer on GPUs (here stand-ins) holds every launch, copy and NCCL operation
# once, with the bytes, as the trainer counts them itself; every activity has its launch, and the
# sums of all windows hold.
. "$top_srcdir/tests/trainer_cuda_common.sh"
cuda_plan 12

# recorded NAME RANKS GPUS OPTIONS…
recorded() {
	run=$1 ranks=$2 gpus=$3
	shift 3
	timeout 400 "$tacho" -q record -f -o "run.$run" -- mpirun -n "$ranks" "$trainer" --side 16 \
		--train-samples 1024 --validate-samples 100 --test-samples 128 --data-dir data --steps 12 \
		--quiet --device cuda --gpus "$gpus" --truth "truth.$run" "$@" >log 2>&1 </dev/null &&
		checked "run.$run" $((ranks * gpus)) "truth.$run".* || { sed 's/^/# /' log; false; }
}

check "one rank, one GPU" recorded one 1 1 --fusion 0.05
check "one rank, two GPUs" recorded gpus 1 2 --fusion 0.05
check "two ranks, one GPU each" recorded ranks 2 1 --fusion 0.05
check "two ranks, two GPUs each" recorded both 2 2 --fusion 0.05
check "four ranks" recorded four 4 1
check "four ranks, two GPUs each" recorded eight 4 2 --fusion 0.05
check "graphs" recorded graph 1 1 --graph
check "graphs over two ranks" recorded graphs 2 1 --graph --fusion 0.05
check "half precision over two ranks" recorded half 2 1 --precision fp16
check "pageable copies and trouble" recorded trouble 2 1 --pageable \
	--plant needless-sync,tiny-kernels,slow-rank:0:2,uneven:1:3
check "a truth that is not the recording's is noticed" sh -c "
	sed 's/\(trainer_loss_fp32 launches \)/\11/' truth.one.0 >other
	! python3 '$top_srcdir/tests/gpu/check.py' truth run.one other --standin >/dev/null"
check "a device that is none does not pass for one" sh -c "
	! python3 '$top_srcdir/tests/gpu/check.py' truth run.one truth.one.0 >/dev/null"
