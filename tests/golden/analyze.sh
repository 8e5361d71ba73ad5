#!/bin/sh
# Worked cases: each archive written from a text gives every figure that the text expects; and metrics.def
# defines every metric, and none that is nowhere.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
set -- "$top_srcdir"/tests/golden/cases/*.case
"$top_builddir/tests/unit/golden" "$top_builddir/analyzer/tacho" "$dir" "$@" | sed "1s/.*/1..$(($# + 2))/"

# result NUMBER NAME FILE: ok when the file, the reason, is empty
result() {
	[ ! -s "$3" ] && echo "ok $1 - $2" || { echo "not ok $1 - $2"; sed 's/^/# /' "$3"; }
}
for db in "$dir"/*/case.db; do
	sqlite3 "$db" "select distinct model || '.' || name || ' ' || unit from metric"
done | sort -u >"$dir/seen"
sed -n 's/^METRIC(\([a-z_]*\), \([a-z0-9_]*\), "\([^"]*\)".*/\1.\2 \3/p' "$top_srcdir/analyzer/metrics/metrics.def" |
	sort >"$dir/defined"
comm -23 "$dir/seen" "$dir/defined" >"$dir/undefined"
result $(($# + 1)) "metrics.def has every metric of the cases, with its unit" "$dir/undefined"

# Metrics that no case has, and why: which other test looks at them.
grep -v '^#' "$top_srcdir/tests/golden/metrics_elsewhere.txt" | cut -d ' ' -f 1 | sort >"$dir/elsewhere"
cut -d ' ' -f 1 "$dir/seen" >"$dir/names"
cut -d ' ' -f 1 "$dir/defined" | comm -23 - "$dir/names" | diff "$dir/elsewhere" - >"$dir/unseen"
result $(($# + 2)) "the cases have every metric of metrics.def but those of metrics_elsewhere.txt" "$dir/unseen"
