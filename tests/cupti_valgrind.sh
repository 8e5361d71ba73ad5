#!/bin/sh
# GPU recording reads and writes no byte that is not its own, faults of CUPTI's included.
. "$top_srcdir/tests/cupti_common.sh"
if ! command -v valgrind >/dev/null; then
	echo "1..0 # SKIP valgrind is missing"
	exit 0
fi
need 3
lib=$(cd "$top_builddir" && pwd)/collector/.libs/libtacho.so

# clean FAULTS MODE
clean()
{
	rm -rf "$tmp/run"
	STANDIN_FAULT=$1 LD_LIBRARY_PATH=$standin/cuda13 LD_PRELOAD=$lib TACHO_DIR=$tmp/run RANK=0 WORLD_SIZE=1 \
		timeout 200 valgrind -q --error-exitcode=9 --suppressions="$top_srcdir/tests/cupti/loader.supp" \
		"$top_builddir/tests/cupti/loop13" 3 20 "$2" &&
		"$top_builddir/tests/unit/spool_dump" "$tmp/run"/spool/* | grep -q '^kernel depth='
}

if [ -n "${ASAN_OPTIONS:-}" ]; then
	echo "ok 1 # SKIP built with a sanitizer of its own"
	echo "ok 2 # SKIP built with a sanitizer of its own"
	echo "ok 3 # SKIP built with a sanitizer of its own"
	exit 0
fi
ok "several threads, a graph's kernels" clean "" threads
ok "dropped, unordered, unknown records and such without times" clean dropped=4,unordered=3,end0=5,unknown=2 graph
ok "a forked child" clean timestamp fork
