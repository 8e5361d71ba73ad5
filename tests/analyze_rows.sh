#!/bin/sh
# A run with more steps and instances of phases than have rows of their own: the database stays small, and every sum is
# that of all.
. "$top_srcdir/tests/analyze_common.sh"

# 600 steps on two ranks in two phases: rank 1 has more to do in every step, and most in step 333.
{
	for late in 0 5; do
		printf 'rank\nenter 0 main\n'
		for half in 0 1; do
			printf 'enter %d phase:half%d\n' $((half * 30000)) $half
			awk -v half=$half -v late=$late 'BEGIN { for (n = 300 * half; n < 300 * half + 300; n++) {
				t = 100 * n; w = 50 + late + (n == 333 && late ? 40 : 0); e = n == 333 ? 99 : 95
				print "enter", t, "step:" n "\nenter", t, "phase:part\nleave", t + 20, "phase:part\n" t + w, t + e,
					"mpi coll allreduce bytes 8\nleave", t + e, "step:" n } }'
			printf 'leave %d phase:half%d\n' $((half * 30000 + 30000)) $half
		done
		printf 'leave 60000 main\n'
	done
} >"$dir/many.case"
mkdir "$dir/a"
"$top_builddir/tests/unit/golden" "$tacho" "$dir/a" write "$dir/many.case" >"$dir/err" 2>&1
all() { sqlite3 "$dir/all" "$1"; }
few() { sqlite3 "$dir/few" "$1"; }
same() { all "$1" >"$dir/expected" && few "$1" | diff "$dir/expected" - >"$dir/err" && [ -s "$dir/expected" ]; }
echo 1..12

"$tacho" analyze -j 1 --db "$dir/all" "$dir/a/traces.otf2" 2>"$dir/err" &&
	TACHO_STEP_ROWS=32 "$tacho" analyze -j 1 --db "$dir/few" "$dir/a/traces.otf2" 2>"$dir/err"
ok $? "both are analysed"

# 32, then 2 for each doubling: 2 of 32 to 63, … 2 of 256 to 511, 1 of 512 to 599; and the 100 longest.
[ "$(all "select count(*) from step")" = 1200 ] && [ "$(few "select count(distinct n) from step")" = 141 ] &&
	[ "$(few "select count(distinct window) from host_time where window like 'step:%'")" = 141 ] &&
	[ "$(few "select max(instance) from phase where name = 'part'")" = 31 ]
ok $? "of many steps and phases few have rows"
[ "$(few "select count(*) from step where n = 333 and excess_ns > 0")" = 1 ]
ok $? "the longest step has one"

same "select s.process_id, f.name, sum(s.steps), sum(s.ns), sum(s.waited_ns), sum(s.excess_ns), sum(s.caused_ns)
	from step_all s join phase f on f.id = s.phase_id group by 1, 2 order by 1, 2"
ok $? "steps and what was waited in them sum to the same, by rank and phase"
same "select name, instances, ns from phase_all order by 1"
ok $? "so do phases"
# what rows stand for is rounded to a nanosecond
same "select window, model, name, subject, case when name in ('in_steps', 'trained') then round(value / 10) else value end
	from metric where window not like 'step:%' order by 1, 2, 3, 4"
ok $? "figures of the run and of phases are the same"
for db in all few; do
	"$tacho" stats --format csv "$dir/$db" phases >"$dir/$db.csv" 2>>"$dir/err"
	"$tacho" report -s "$dir/$db" 2>>"$dir/err" | sed -n '/steps/p; /phases/p' >>"$dir/$db.csv"
done
diff "$dir/all.csv" "$dir/few.csv" >"$dir/err" && grep -q '600 steps' "$dir/few.csv"
ok $? "and what is said of steps and phases"
all "select seconds from finding" >"$dir/expected"
few "select seconds from finding" | paste - "$dir/expected" | awk '$2 > 0 && ($1 > 1.2 * $2 || $1 < 0.8 * $2) || NF != 2 { bad = 1 } END { exit bad }'
ok $? "findings promise about the same seconds"
[ "$(few "select count(*) from collective")" = 141 ]
ok $? "of many collectives few have rows"
"$tacho" stats --format csv "$dir/all" collectives >"$dir/expected" 2>>"$dir/err"
"$tacho" stats --format csv "$dir/few" collectives 2>>"$dir/err" | diff "$dir/expected" - >"$dir/err" && [ -s "$dir/expected" ]
ok $? "what is said of collectives is of all"
for db in all few; do
	GNUPLOT= "$tacho" report -o "$dir/of_$db.html" "$dir/$db" >/dev/null 2>>"$dir/err"
done
diff "$dir/of_all/collectives.csv" "$dir/of_few/collectives.csv" >"$dir/err" && grep -q allreduce "$dir/of_few/collectives.csv"
ok $? "in the report, too"
for jobs in 2 3; do
	TACHO_STEP_ROWS=32 TACHO_SHUFFLE=$jobs "$tacho" analyze -j $jobs --db "$dir/$jobs" "$dir/a/traces.otf2"
done 2>"$dir/err"
python3 "$top_srcdir/tests/database_equal.py" "$dir/few" "$dir/2" "$dir/few" "$dir/3" >"$dir/err" 2>&1
ok $? "whoever reads them in whatever order"
