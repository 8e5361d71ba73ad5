#!/bin/sh
# No query of reports reads a sentence of a finding: its facts are columns.
# No line of SQL is wider than 100 columns, with tabs of 8. Made databases of tests are lists of rows
# as wide as their table is, and an older schema stays as it was released.
echo 1..2
wide=$(find "$top_srcdir/analyzer" "$top_srcdir/reports" "$top_srcdir/tests" -name '*.sql' |
	grep -vE '/tests/(findings|report|bench)/|/schema-[0-9]*\.sql$' | LC_ALL=C sort | LC_ALL=C xargs awk '
	{
		line = $0
		gsub(/[\200-\277]/, "", line)	# the rest of a character of several bytes
		columns = 0
		for (i = 1; i <= length(line); i++)
			columns += substr(line, i, 1) == "\t" ? 8 - columns % 8 : 1
		if (columns > 100)
			print "# " FILENAME ":" FNR ": " columns " columns"
	}')
if [ -z "$wide" ]; then
	echo "ok 1 - lines of SQL have 100 columns at most"
else
	echo "$wide"
	echo "not ok 1 - lines of SQL have 100 columns at most"
fi

reads=$(grep -nE "(message|brief|confidence)[^,]{0,14} (like|glob) |instr\((f\.)?(message|brief|confidence)" "$top_srcdir"/reports/*.sql \
	"$top_srcdir"/reports/findings/*.sql)
if [ -z "$reads" ]; then
	echo "ok 2 - no query reads the words of a finding"
else
	echo "$reads" | sed 's/^/# /'
	echo "not ok 2 - no query reads the words of a finding"
fi
