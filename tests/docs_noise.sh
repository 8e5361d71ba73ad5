#!/bin/sh
# docs/noise.md lists the constants of analyzer/metrics/noise.def, all of them, as they are; rules are short, and their
# thresholds have names.
cd "$top_srcdir" || exit 1
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
sed -n 's/^NOISE(\([a-z_]*\), \([0-9.]*\), "\([^"]*\)", "\(.*\)")$/| \1 | \2 | \3 | \4 |/p' analyzer/metrics/noise.def |
	sed 's/ | 1 | \([^|]*\)|$/ |  | \1|/' >"$list"
echo 1..8
[ "$(grep -c '^NOISE(' analyzer/metrics/noise.def)" = "$(wc -l <"$list")" ] && echo "ok 1 - each has a name, a value, a unit and a reason" ||
	echo "not ok 1 - each has a name, a value, a unit and a reason"
if sed -n '/^## Constants/,$ { /^| name |/d; /^|-/d; /^|/p }' docs/noise.md | diff "$list" -; then
	echo "ok 2 - the page has them all, and no other"
else
	echo "not ok 2 - the page has them all, and no other"
fi
# queries: that of each rule, and the tables that rules share, each line behind its file's name
queries()
{
	awk 'FNR == 1 { sql = FILENAME ~ /sql$/ } sql { print FILENAME ":" $0 } $0 == "query" { sql = 1 }' reports/findings/*.rule reports/findings/*.sql
}
long=$(queries | awk -F: '++n[$1] == 80 { print $1 }')
[ -z "$long" ] && echo "ok 3 - no query has 80 lines or more" || echo "not ok 3 - no query has 80 lines or more: $long"
bad=$(awk -F'\t+' '!/^#/ && NF { print (NF == 4 && $2 + 0 > 0 ? "" : "not a line: ") $1 }' reports/findings/constants.def | while read -r name; do
	queries | grep -q "[^a-z]:$name\>" || echo "$name"
done)
[ -z "$bad" ] && echo "ok 4 - constants of rules have a value, a unit and a reason, and a use" ||
	echo "not ok 4 - constants of rules have a value, a unit and a reason, and a use: $bad"
bare=$(queries | sed 's/--.*//' | grep '[^0-9.]0\.[0-9]*[1-9]')
[ -z "$bare" ] && echo "ok 5 - no rule has a bare threshold" || echo "not ok 5 - no rule has a bare threshold: $bare"
# a rule without a kind would share seconds with none
bad=$(grep -L '^of[.a-z_]*:	*\(own\|link\|ends\|all\)\(/[a-z_]*\)*$' reports/findings/*.rule)
[ -z "$bad" ] && echo "ok 6 - each rule says of what time its seconds are" ||
	echo "not ok 6 - each rule says of what time its seconds are: $bad"
bad=$(sed -n 's/^apart[.a-z_]*:	*//p' reports/findings/*.rule | tr -d , | tr ' ' '\n' | while read -r rule; do
	[ -f "reports/findings/${rule%/*}.rule" ] || echo "$rule"
done)
[ -z "$bad" ] && echo "ok 7 - rules that share nothing are rules" || echo "not ok 7 - rules that share nothing are rules: $bad"
# round RULE: in which it is asked
round()
{
	awk '/^asked:\t+last/ { n = 9 } $1 == "round:" { n = $2 } END { print n + 0 ? n : 1 }' "reports/findings/$1.rule"
}
bad=$(for file in reports/findings/*.rule; do
	rule=$(basename "$file" .rule)
	sed -n '/^query/,$ { s/--.*//; p; }' "$file" | awk '/found/ { reads = 1 } { text = text $0 } END { if (reads) print text }' |
		grep -o "'[a-z_]*[/']" | tr -d "/'" | sort -u | while read -r other; do
		[ ! -f "reports/findings/$other.rule" ] || [ "$(round "$other")" -lt "$(round "$rule")" ] || echo "$rule: $other"
	done
done)
[ -z "$bad" ] && echo "ok 8 - a rule is asked after those whose findings it reads" ||
	echo "not ok 8 - a rule is asked after those whose findings it reads: $bad"
