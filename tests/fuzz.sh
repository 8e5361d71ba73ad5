#!/bin/sh
# A short run of the fuzzers, of the same inputs each time; tests/fuzz/README.md describes the long one.
if grep -q __asan_init "$top_builddir/analyzer/tacho"; then
	echo "1..0 # SKIP the targets have their own checks; the program is tried as users have it"
	exit 0
fi
FUZZ_SEED=${FUZZ_SEED:-1} FUZZ_INPUTS=${FUZZ_INPUTS:-30} exec "$top_srcdir/tests/fuzz/run" 2000 "$top_builddir"
