#!/bin/sh
# The weights depend on the global batch alone: not on the number of ranks
# (beyond rounding), and not at all on timing, files, readers or buckets.
. "$top_srcdir/tests/trainer_common.sh"
plan 14

run() {
	out=$1
	shift
	train "$@" --steps 20 --warmup 5 --dump-weights "$out"
}

same() {
	[ -s "$1" ] && cmp "$1" "$2"
}

differ() {
	[ -s "$1" ] && [ -s "$2" ] && ! cmp -s "$1" "$2"
}

for model in conv mlp; do
	for ranks in 1 2 4; do
		run $model.$ranks $ranks --model $model
	done
	check "$model: 2 ranks agree with 1 to 1e-5" close_to $model.1 $model.2 1e-5
	check "$model: 4 ranks agree with 1 to 1e-5" close_to $model.1 $model.4 1e-5
done
run again 4
check "a repeated run gives the same bits" same conv.4 again
run other 2 --seed 2 --data-dir other.data
check "another seed gives other weights" differ conv.2 other
run files 2 --layout files --data-dir files.data
check "small files and packed files give the same bits" same conv.2 files
run readers 2 --readers 0
check "reading between the steps gives the same bits" same conv.2 readers
run many 2 --readers 5 --prefetch 1
check "five readers and one batch ahead give the same bits" same conv.2 many
run fusion 2 --fusion 0
check "one all-reduce per tensor gives the same bits" same conv.2 fusion
run weak 2 --batch-rule weak --batch 32
check "32 for each of 2 ranks are 64 for both" same conv.2 weak
for ranks in 1 4; do
	run uneven.$ranks $ranks --batch 50
done
check "a batch that does not divide agrees to 1e-5" close_to uneven.1 uneven.4 1e-5
run unequal 4 --batch 50 --test-phase serial
check "how the test phase is shared changes no weight" same uneven.4 unequal
timeout 60 "$trainer" --side 16 --train-samples 2048 --validate-samples 128 --test-samples 512 \
	--data-dir data --steps 20 --warmup 5 --quiet --dump-weights singleton
check "without mpirun it is one rank" same conv.1 singleton
