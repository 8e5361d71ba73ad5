#!/bin/sh
# A killed and restarted training reaches the same weights, bit by bit; a file
# that is no checkpoint of this training is refused.
. "$top_srcdir/tests/trainer_common.sh"
plan 10

fails_with() {
	text=$1
	shift
	timeout 60 mpirun -n 2 "$trainer" --side 16 --train-samples 2048 --validate-samples 128 \
		--test-samples 512 --data-dir data --checkpoint ck --resume \
		"$@" >log 2>&1 </dev/null &&
		{ echo "# it went well"; return 1; }
	grep -q "$text" log || { sed 's/^/# /' log; false; }
}

killed() {
	timeout 60 mpirun -n 2 "$trainer" --side 16 --train-samples 2048 --validate-samples 128 \
		--test-samples 512 --data-dir data --checkpoint ck --checkpoint-every 10 \
		"$@" >log 2>&1 </dev/null
	[ $? -ne 0 ] && [ -s ck ]
}

train 2 --epochs 2 --dump-weights whole
for mode in blocking background; do
	rm -f ck
	check "$mode: killed in step 45, a checkpoint is there" killed --epochs 2 \
		--checkpoint-mode $mode --plant kill:1:45
	train 2 --epochs 2 --checkpoint ck --checkpoint-every 10 --checkpoint-mode $mode --resume \
		--dump-weights $mode.weights
	check "$mode: it goes on from there" grep -q "going on from step [34]0 of ck" log
	check "$mode: and reaches the same weights" cmp whole $mode.weights
done
check "no temporary file is left" [ ! -e ck.tmp ]
check "another training's checkpoint is refused" fails_with "is of another training" --epochs 3
head -c 100000 ck >cut && mv cut ck
check "a damaged one is refused" fails_with "the checkpoint ck is damaged" --epochs 2
echo nonsense >ck
check "a file that is none is refused" fails_with "ck is no checkpoint" --epochs 2
