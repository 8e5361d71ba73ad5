#!/bin/sh
# On GPUs (here stand-ins) the trainer learns what it learns on the CPU: the same weights, on every
# number of ranks and GPUs, however the work is put on the streams; mixed precision learns, too.
. "$top_srcdir/tests/trainer_cuda_common.sh"
cuda_plan 21

# run OUT RANKS OPTIONS…
run() {
	out=$1
	shift
	train "$@" --steps 8 --warmup 3 --dump-weights "$out"
}

says() {
	grep -q "$1" log || { sed 's/^/# /' log; false; }
}

run cpu 1
for shape in 1x1 1x2 2x1 2x2 4x1 4x2; do
	run $shape ${shape%x*} --device cuda --gpus ${shape#*x} --fusion 0.05
	check "$shape ranks and GPUs each: the weights of the CPU" close_to cpu $shape 1e-4
done
run again 2 --device cuda --gpus 2 --fusion 0.05
check "a repeated run gives the same bits" cmp 2x2 again

run behind 2 --device cuda --overlap none
check "sums after the backward pass" close_to cpu behind 1e-4
grep '^test: .* held-out samples' log >tested
run dear 2 --device cuda --overlap none --plant uneven:1:3
check "held-out samples that cost more count once" grep -qxFf tested log
run graph 1 --device cuda --graph
check "a graph per step" cmp 1x1 graph
run pageable 2 --device cuda --pageable
check "pageable memory" close_to cpu pageable 1e-4
run trouble 2 --device cuda --plant needless-sync,tiny-kernels,tiny-messages,late-launch:1,slow-rank:1:2
check "planted trouble changes no weight" close_to cpu trouble 1e-4
run uneven 2 --device cuda --gpus 2 --batch 50
run uneven.cpu 1 --batch 50
check "a batch that does not divide" close_to uneven.cpu uneven 1e-4
run mlp.cpu 1 --model mlp
run mlp 2 --device cuda --model mlp
check "the dense network" close_to mlp.cpu mlp 1e-4
for device in cpu cuda; do
	train 2 --workload gnmt --scale 20000 --steps 5 --data-dir proxy --device $device --dump-weights gnmt.$device
done
check "a proxy" close_to gnmt.cpu gnmt.cuda 1e-4

# Killed between two checkpoints, and continued.
saved="--device cuda --steps 12 --checkpoint state --checkpoint-every 5"
train 2 --device cuda --steps 12 --dump-weights whole
train 2 $saved --plant kill:1:8 >killed 2>&1
train 2 $saved --resume --dump-weights resumed
check "a checkpoint is of whole sums: goes on from the one before" says "going on from step 5"
check "to the weights of a run that was not killed" cmp whole resumed

for precision in fp16 bf16; do
	run $precision 2 --device cuda --precision $precision
	check "$precision stays near single precision" close_to cpu $precision 0.01
done
train 2 --device cuda --precision fp16 --epochs 3 --train-samples 4096 --data-dir more
check "its loss falls" awk '$1 ~ /^[0-9]+$/ && NF == 8 { if ($1 == 1) first = $2; last = $2; n++ }
	END { exit !(n == 3 && last < first / 1.5) }' log
check "devices are called stand-ins" says "[Ss]tand-in"
