#!/bin/sh
# What goes wrong is said in one sentence that names it; exit 2 for usage, 1 for failures.
. "$top_srcdir/tests/trainer_common.sh"
plan 25

# says STATUS TEXT OPTIONS…: alone, the trainer ends so and its last words hold TEXT.
says() {
	status=$1 text=$2
	shift 2
	timeout 60 "$trainer" --side 16 --train-samples 256 --validate-samples 64 --test-samples 64 \
		--quiet "$@" >log 2>&1 </dev/null
	got=$?
	[ $got -eq "$status" ] && grep -q "^tacho-trainer\[0\]: .*$text" log &&
		[ "$(grep -c '^tacho-trainer' log)" = 1 ] || { echo "# exit $got"; sed 's/^/# /' log; false; }
}

check "an unknown option" says 2 "no such option" --colour red
check "a word without dashes" says 2 "options start with --" train
check "a missing value" says 2 "needs a value" --epochs
check "a number that is none" says 2 "whole number from 1" --epochs many
check "a number out of range" says 2 "a number from 0 to 0.5" --mixup 0.7
check "a choice that is none" says 2 "expected mlp|conv" --model tree
check "trouble that is none" says 2 "slow-rank:RANK:FACTOR" --plant slow-rank:1
check "threads less than none" says 2 "spinning-threads:N" --plant spinning-threads:-1
check "two troubles of a kind" says 2 "slow-rank:1:3: there can be one trouble of each kind" \
	--plant slow-rank:0:2,tiny-messages --plant slow-rank:1:3
# the CPU cannot have the first, which the second has not replaced
check "several --plant add up" says 2 "need --device cuda" --plant needless-sync --plant tiny-messages
check "non-blocking sums by nodes" says 2 \
	"take --overlap thread" --overlap nonblocking --allreduce hierarchical
check "GPU knobs without GPUs" says 2 "need --device cuda" --precision fp16
check "OpenBLAS's threads on GPUs" says 2 "needs --device cpu" --device cuda --threads 4
check "MPI's ways of summing on GPUs" says 2 "take --overlap none or stream" --device cuda --overlap thread
check "a graph over two GPUs" says 2 "take --gpus 1" --device cuda --graph --gpus 2
# Without the module, or on a machine without driver or GPU; where there is one nothing is wrong.
if [ -e /dev/nvidiactl ]; then
	number=$((number + 1))
	echo "ok $number # SKIP there is a GPU"
else
	check "GPUs that are not there" says 1 "--device cuda" --device cuda
fi
check "a choice that is none, with its list" says 2 "none|resnet50" --workload bert
check "a batch larger than the data set" says 1 "does not fit" --batch 512
check "a folder whose parent is missing" says 1 "cannot make the folder" --data-dir no/such/folder
mkdir empty
check "a folder that is no data set" says 1 "is no data set" --data-dir empty
timeout 60 "$trainer" --side 16 --train-samples 256 --validate-samples 64 --test-samples 64 --make-data made
check "another seed than the data set's" says 1 "made with other options" --data-dir made --seed 7
truncate -s -1 made/train/shard-000000.bin
check "a truncated packed file" says 1 "shard-000000.bin has .* bytes: delete" --data-dir made
timeout 60 "$trainer" --side 16 --train-samples 256 --validate-samples 64 --test-samples 64 \
	--layout files --make-data files
: >files/train/000123.bin
check "a truncated small file" says 1 "sample 123 of train .* is cut short" --data-dir files --layout files
rm files/train/000123.bin
check "a small file that is missing" says 1 \
	"cannot read .*000123.bin: No such file" --data-dir files --layout files
check "weights that cannot be written" says 1 \
	"cannot write no/such/weights" --steps 1 --data-dir new \
	--dump-weights no/such/weights
