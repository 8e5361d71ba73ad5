#!/bin/sh
# Real programs whose main thread waits for a child: the critical path goes through it, and before it began through the parent.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho

# path RUN: by whom the path's ms were spent, as far as nobody's turn for a core can change it
path()
{
	"$tacho" merge "$1" >"$tmp/out" 2>&1 && "$tacho" analyze "$1" >"$tmp/out" 2>&1 || return 1
	sqlite3 "$1/tacho.db" "select group_concat(name || case when value between least and most then '' else ' ' || value end, ', ')
		from (select name, value, case name when 'helper_useful' then 149e6 when 'useful' then 89e6 else 0 end as least,
		case name when 'helper_useful' then 1e9 when 'useful' then 1e9 else 30e6 end as most
		from metric where model = 'critical_path' and name in ('absent', 'helper_useful', 'useful') order by name)"
}

command -v sqlite3 >/dev/null || { echo "1..0 # SKIP sqlite3 is not installed"; exit 0; }
echo 1..4
for by in pipe sockets; do
	for child in fork exec; do
		record "$tmp/$by.$child" "$load" hand $by $child
		ok "the path goes through a child by $child that tells by $by" \
			same "$(path "$tmp/$by.$child")" "absent, helper_useful, useful"
	done
done
