#!/bin/sh
# docs/noise.md lists the constants of analyzer/metrics/noise.def, all of them, as they are; rules are short, and their
# thresholds have names.
cd "$top_srcdir" || exit 1
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
sed -n 's/^NOISE(\([a-z_]*\), \([0-9.]*\), "\([^"]*\)", "\(.*\)")$/| \1 | \2 | \3 | \4 |/p' analyzer/metrics/noise.def |
	sed 's/ | 1 | \([^|]*\)|$/ |  | \1|/' >"$list"
echo 1..7
[ "$(grep -c '^NOISE(' analyzer/metrics/noise.def)" = "$(wc -l <"$list")" ] && echo "ok 1 - each has a name, a value, a unit and a reason" ||
	echo "not ok 1 - each has a name, a value, a unit and a reason"
if sed -n '/^## Constants/,$ { /^| name |/d; /^|-/d; /^|/p }' docs/noise.md | diff "$list" -; then
	echo "ok 2 - the page has them all, and no other"
else
	echo "not ok 2 - the page has them all, and no other"
fi
long=$(wc -l reports/findings/*.sql | awk '$2 != "total" && $1 > 79 { print $2 }')
[ -z "$long" ] && echo "ok 3 - no rule has 80 lines or more" || echo "not ok 3 - no rule has 80 lines or more: $long"
bad=$(awk -F'\t+' '!/^#/ && NF { print (NF == 4 && $2 + 0 > 0 ? "" : "not a line: ") $1 }' reports/findings/constants.def | while read -r name; do
	grep -q ":$name\>" reports/findings/*.sql || echo "$name"
done)
[ -z "$bad" ] && echo "ok 4 - constants of rules have a value, a unit and a reason, and a use" ||
	echo "not ok 4 - constants of rules have a value, a unit and a reason, and a use: $bad"
bare=$(sed 's/--.*//' reports/findings/*.sql | grep -n '[^0-9.]0\.[0-9]*[1-9]')
[ -z "$bare" ] && echo "ok 5 - no rule has a bare threshold" || echo "not ok 5 - no rule has a bare threshold: $bare"
# a rule without a kind would share seconds with none
bad=$(awk '!/^#/ && NF && $4 !~ "^(own|link|ends|all)(/[a-z_]+)*$" { print $1 }' reports/findings/rules.def)
[ -z "$bad" ] && echo "ok 6 - each rule says of what time its seconds are" ||
	echo "not ok 6 - each rule says of what time its seconds are: $bad"
bad=$(sed -n '/^insert into finding_apart/,/;/ { s/--.*//; s/finding_apart//; p; }' reports/findings/shared.sql |
	grep -o "[a-z]*_[a-z_]*\|'[a-z]*'" | tr -d "'" | sort -u | while read -r rule; do
	grep -q "^$rule\>" reports/findings/rules.def || echo "$rule"
done)
[ -z "$bad" ] && echo "ok 7 - rules that share nothing are rules" || echo "not ok 7 - rules that share nothing are rules: $bad"
