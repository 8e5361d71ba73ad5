#!/bin/sh
# All that users read is plain English: few marks of unidiomatic prose, few sentences over 40 words.
exec python3 "$top_srcdir/tests/prose.py" "$top_srcdir" "$top_builddir/analyzer/tacho"
