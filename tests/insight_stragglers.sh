#!/bin/sh
# Slow ranks of recorded runs, on quiet and on crowded machines.
exec "$top_builddir/tests/unit/stragglers" "$top_srcdir"/tests/stragglers/*.run
