#!/bin/sh
# What --truth reports is what the options imply, rank by rank.
. "$top_srcdir/tests/trainer_common.sh"
plan 9

# fact FILE PREFIX: the words after PREFIX in a truth file.
fact() {
	sed -n "s/^$2 //p" "$1"
}

is() {
	[ "$1" = "$2" ] || { echo "# got '$1', expected '$2'"; false; }
}

# Besides the gradients: sums of three doubles for train and validate of each epoch and for the
# test, and three times the question whether all ranks are well (an int).
# 2048 training samples, batch 64: 32 steps an epoch, 32 samples of each on a rank; 772 bytes a
# sample.
train 2 --epochs 2 --layout files --fusion 0 --truth t
check "steps and samples" is "$(fact t.1 steps)" "64 samples 2048"
check "small files: one open, one read per sample" is "$(fact t.1 'file train')" \
	"opens 2048 closes 2048 reads 2048 writes 0 fsyncs 0 bytes_read 1581056 bytes_written 0"
check "held-out samples, both epochs" is "$(fact t.1 'file validate')" \
	"opens 128 closes 128 reads 128 writes 0 fsyncs 0 bytes_read 98816 bytes_written 0"
check "an all-reduce per tensor and step" is "$(fact t.1 'mpi MPI_Allreduce')" \
	"calls $((64 * 8 + 5 + 3)) bytes $((64 * 72042 * 4 + 5 * 24 + 3 * 4))"
check "the others' ranks made no data" is "$(fact t.1 'file make')" \
	"opens 0 closes 0 reads 0 writes 0 fsyncs 0 bytes_read 0 bytes_written 0"
train 2 --epochs 1 --readers 1 --data-dir packed --shard-samples 4096 --truth p
check "packed files: opened once by the reader" is "$(fact p.0 'file train')" \
	"opens 1 closes 1 reads 1024 writes 0 fsyncs 0 bytes_read 790528 bytes_written 0"
train 2 --epochs 1 --readers 2 --data-dir shards --shard-samples 128 --truth q
check "sixteen packed files: each opened once by each reader" [ \
	"$(fact q.0 'file train' | cut -d' ' -f2)" -le 32 ]
check "one bucket, one all-reduce per step" is "$(fact p.0 'mpi MPI_Allreduce')" \
	"calls $((32 + 3 + 3)) bytes $((32 * 72042 * 4 + 3 * 24 + 3 * 4))"
train 2 --epochs 1 --data-dir packed --shard-samples 4096 --test-phase serial --truth s
check "a serial test phase reads nothing on rank 1" is "$(fact s.1 'file test')" \
	"opens 0 closes 0 reads 0 writes 0 fsyncs 0 bytes_read 0 bytes_written 0"
