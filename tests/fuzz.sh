#!/bin/sh
# A short run of the fuzzers; tests/fuzz/README.md tells the long one.
exec "$top_srcdir/tests/fuzz/run" "${TACHO_FUZZ_SECONDS:-30}" "$top_builddir"
