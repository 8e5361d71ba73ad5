#!/bin/sh
# The proxies keep the order of published measurements: per unit of computing,
# ResNet-50 and SSD read most from storage, GNMT and Transformer send most.
. "$top_srcdir/tests/trainer_common.sh"
plan 9

# measure NAME: bytes read and bytes of gradients per million multiply-adds, of rank 0's two steps.
measure() {
	train 2 --workload "$1" --steps 2 --train-samples 32 --validate-samples 1 --test-samples 1 \
		--readers 0 --data-dir "$1" --truth "$1.t" || return
	computing=$(sed -n 's/^  computing  \([0-9.]*\) M.*/\1/p' log)
	read_bytes=$(sed -n 's/^file train .* bytes_read \([0-9]*\).*/\1/p' "$1.t.0")
	sent=$(sed -n 's/^mpi MPI_Allreduce calls [0-9]* bytes //p' "$1.t.0")
	echo "$1 $read_bytes $sent $computing" | awk '{ print $1, $2 / $4, $3 / $4 }'
}

for workload in resnet50 ssd maskrcnn gnmt transformer; do
	measure $workload
done >figures
sed 's/^/# workload, bytes read and sent per million multiply-adds: /' figures

# more COLUMN A B: A's figure is above B's.
more() {
	awk -v column="$1" -v a="$2" -v b="$3" '{ value[$1] = $column } END { exit !(value[b] > 0 && value[a] > value[b]) }' figures
}

check "ResNet-50 reads more than SSD" more 2 resnet50 ssd
check "SSD reads more than Mask R-CNN" more 2 ssd maskrcnn
check "Mask R-CNN reads more than GNMT" more 2 maskrcnn gnmt
check "and more than Transformer" more 2 maskrcnn transformer
check "GNMT sends more than Mask R-CNN" more 3 gnmt maskrcnn
check "Transformer sends more than Mask R-CNN" more 3 transformer maskrcnn
check "Mask R-CNN sends more than ResNet-50" more 3 maskrcnn resnet50
check "ResNet-50 sends more than SSD" more 3 resnet50 ssd
check "a proxy repeats bit by bit" sh -c '
	for n in 1 2; do
		"$0" --workload gnmt --steps 1 --train-samples 32 --validate-samples 1 --test-samples 1 \
			--data-dir alone --quiet --dump-weights $n.w || exit 1
	done
	[ -s 1.w ] && cmp 1.w 2.w' "$trainer"
