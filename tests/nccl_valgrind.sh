#!/bin/sh
# Recording NCCL, graphs, NVTX and NVML reads and writes no byte that is not its own.
. "$top_srcdir/tests/collector_common.sh"
programs=$(cd "$top_builddir" && pwd)/tests/e2e
lib=$(cd "$top_builddir" && pwd)/collector/.libs/libtacho.so
if ! command -v valgrind >/dev/null; then
	echo "1..0 # SKIP valgrind is missing"
	exit
fi
if [ ! -x "$programs/nccl_graph" ] || [ ! -x "$programs/nvtx_ranges" ]; then
	echo "1..0 # SKIP no CUDA toolkit, or no nccl.h"
	exit
fi
if [ -n "${ASAN_OPTIONS:-}" ]; then
	echo "1..0 # SKIP built with a sanitizer of its own"
	exit
fi
echo 1..12
LD_LIBRARY_PATH=$top_builddir/tests/standin/cuda13${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
STANDIN_DEVICES=3
export LD_LIBRARY_PATH STANDIN_DEVICES

# clean PATTERN PROGRAM ARGUMENTS…: without a word of valgrind's, and what it shall record is there
clean()
{
	pattern=$1 program=$2
	shift 2
	rm -rf "$tmp/run" "$tmp/id"
	mkdir "$tmp/id"
	record "$tmp/run" valgrind -q --error-exitcode=9 --suppressions="$top_srcdir/tests/cupti/loader.supp" \
		"$programs/$program" "$@" && "$dump" "$tmp"/run/spool/* | grep -q "$pattern"
}

# Record's limit is one for programs that run at their own speed.
record()
{
	run=$1
	shift
	env LD_PRELOAD="$lib" TACHO_DIR="$run" RANK=0 WORLD_SIZE=1 timeout 200 "$@"
}

ok "NCCL that is linked" clean '^nccl depth' nccl_calls 0 1 "$tmp/id" 1 linked
ok "that is looked up" clean '^nccl depth' nccl_calls 0 1 "$tmp/id" 1 dlsym
ok "on three devices, with its plugin" clean '^nccl_plan' nccl_calls 0 1 "$tmp/id" 3 all
ok "that does not block, and calls that it refuses" clean '^nccl depth' nccl_calls 0 1 "$tmp/id" 1 careful
ok "a static one" clean '^nccl depth' nccl_static 0 1 "$tmp/id" 1 linked
ok "one in graphs" clean '^graph depth' nccl_graph 0 1 "$tmp/id"
for mode in ranges steps torch names marked; do
	ok "NVTX: $mode" clean '^begin depth' nvtx_ranges $mode
done
ok "NVML" clean '^sample depth' nvml_run
