#!/bin/sh
# The database as its manual page tells it, and as programs read it through tacho stats.
. "$top_srcdir/tests/analyze_common.sh"

make_case a phases_and_steps
"$tacho" analyze --label 'a "quoted", label' --db "$dir/db" "$dir/a/traces.otf2" 2>"$dir/err"
echo 1..7

# Example queries stand between .EX and .EE; each must run and give a row where it can.
page="$top_srcdir/analyzer/tacho-db.5"
awk '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0; next } on' "$page" >"$dir/examples.sql"
[ "$(grep -c ';$' "$dir/examples.sql")" -ge 7 ] && sqlite3 -bail "$dir/db" <"$dir/examples.sql" >"$dir/out" 2>"$dir/err"
ok $? "the example queries of tacho-db(5) run"

missing=
for name in $(sqlite3 "$dir/db" "select name from sqlite_master where type in ('table', 'view')"); do
	grep -qw "$name" "$page" || missing="$missing $name"
done
echo "missing:$missing" >"$dir/err"
[ -z "$missing" ]
ok $? "tacho-db(5) names every table and view"

[ "$(sqlite3 "$dir/db" "select count(*) from (select h.run_id, process_id, window, sum(ns) as s from host_time h
	group by 1, 2, 3 having window = 'run' and s <> (select duration_ns from run))")" = 0 ]
ok $? "host time sums exactly to the run"

"$tacho" stats --format json "$dir/db" >"$dir/json" 2>"$dir/err" &&
	sqlite3 :memory: "select json_valid(readfile('$dir/json')) and
		json_extract(readfile('$dir/json'), '\$.run[0].label') = 'a \"quoted\", label'" | grep -qx 1
ok $? "stats writes well-formed json and escapes names"

"$tacho" stats --format csv "$dir/db" run 2>"$dir/err" | sed -n 2p | grep -q '^"a ""quoted"", label",'
ok $? "stats writes csv and escapes names"

[ "$("$tacho" stats --format csv --metric mpi.transfer_efficiency --window phase:train "$dir/db" 2>"$dir/err" |
	tr -d '\r' | tail -n +2 | cut -d, -f5)" = 0.944444444444444 ]
ok $? "stats gives one metric of one window"

"$tacho" stats "$dir/db" nosuch 2>"$dir/err"
a=$?
"$tacho" stats "$dir/nosuch" 2>>"$dir/err"
b=$?
[ $a -eq 2 ] && [ $b -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 2 ]
ok $? "stats refuses a table or a database that is not there, in a sentence each"
