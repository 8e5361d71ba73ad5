#!/bin/sh
# docs/noise.md lists the constants of analyzer/metrics/noise.def, all of them, as they are, and rules are short.
cd "$top_srcdir" || exit 1
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
sed -n 's/^NOISE(\([a-z_]*\), \([0-9.]*\), "\([^"]*\)", "\(.*\)")$/| \1 | \2 | \3 | \4 |/p' analyzer/metrics/noise.def |
	sed 's/ | 1 | \([^|]*\)|$/ |  | \1|/' >"$list"
echo 1..3
[ "$(grep -c '^NOISE(' analyzer/metrics/noise.def)" = "$(wc -l <"$list")" ] && echo "ok 1 - each has a name, a value, a unit and a reason" ||
	echo "not ok 1 - each has a name, a value, a unit and a reason"
if sed -n '/^## Constants/,$ { /^| name |/d; /^|-/d; /^|/p }' docs/noise.md | diff "$list" -; then
	echo "ok 2 - the page has them all, and no other"
else
	echo "not ok 2 - the page has them all, and no other"
fi
long=$(wc -l reports/findings/*.sql | awk '$2 != "total" && $1 > 80 { print $2 }')
[ -z "$long" ] && echo "ok 3 - no rule has more than 80 lines" || echo "not ok 3 - no rule has more than 80 lines: $long"
