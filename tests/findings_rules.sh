#!/bin/sh
# Every rule of the advisor on a small database: exact seconds, and silence below its threshold.
exec "$top_builddir/tests/unit/findings" "$top_builddir/analyzer/db/schema.sql" "$top_srcdir/tests/findings/base.inc" "$top_srcdir/tests/promises.sql" "$top_srcdir"/tests/findings/*.sql
