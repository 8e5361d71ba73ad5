#!/bin/sh
# The networks learn: held-out pictures are recognised far above chance (0.1).
. "$top_srcdir/tests/trainer_common.sh"
plan 3

accuracy() {
	awk '/^test:/ { sub(",", "", $5); print "# accuracy", $5; found = $5 } END { exit !(found > 0.6) }' log
}

falls() {
	awk '$1 ~ /^[0-9]+$/ && NF == 8 { if ($1 == 1) first = $2; last = $2; n++ } END { exit !(n > 2 && last < first / 2) }' log
}

train 2 --train-samples 4096 --epochs 5
check "the convolution recognises held-out pictures" accuracy
check "its loss falls by more than half" falls
train 2 --model mlp --train-samples 8192 --epochs 12 --side 16 --data-dir more --flip
check "the dense network recognises held-out pictures" accuracy
