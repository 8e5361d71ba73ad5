#!/bin/sh
# Known work on a GPU (here a stand-in) is recorded as it was: launches, copies and bytes, nodes of
# graphs, streams that wait for each other a thousand times, each activity with its launch.
. "$top_srcdir/tests/trainer_cuda_common.sh"
nvcc=$(sed -n 's/^NVCC = //p' "$top_builddir/Makefile")
cuda_plan 2

check "it is built with nvcc" "$nvcc" -cudart shared -Xcompiler -rdynamic \
	"$top_srcdir/tests/gpu/known.cu" -o known
timeout 60 "$tacho" -q record -f -o run -- ./known >truth
check "and recorded as it was" checked run 1 truth
