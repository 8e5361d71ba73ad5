#!/bin/sh
# Worked cases: each archive written from a text gives every figure that the text expects.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$top_builddir/tests/unit/golden" "$top_builddir/analyzer/tacho" "$dir" "$top_srcdir"/tests/golden/cases/*.case
