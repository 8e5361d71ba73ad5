#!/bin/sh
# What can be missing or broken: one clear sentence, exit status 1, and an older report stays.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 20

# says STATUS PATTERN NAME COMMAND…: it ends with that status and one line of complaint that matches
says() {
	status=$1 pattern=$2 name=$3
	shift 3
	"$@" >"$work/out" 2>"$work/said"
	[ $? -eq "$status" ] && [ "$(wc -l <"$work/said")" -eq 1 ] && grep -Eq "$pattern" "$work/said"
	result=$?
	[ $result -eq 0 ] || sed 's/^/# /' "$work/said"
	check $result "$name"
}

make_run run1 4 100 2 train
mkdir "$work/none" "$work/text" "$work/short" "$work/old" "$work/other" "$work/bare"
says 1 'none is not the folder of a recorded run' "a folder without a run is named" \
	"$tacho" report "$work/none"
says 1 'nowhere does not exist' "so is a missing run" "$tacho" report "$work/nowhere"
says 1 'none is not the folder' "and in the summary" "$tacho" report -s "$work/none"
echo 'this is no database, but some text that is long enough to be one' >"$work/text/tacho.db"
says 1 'is not a database of tacho' "a file that is no database is refused" \
	"$tacho" report "$work/text"
head -c 20000 "$work/run1/tacho.db" >"$work/short/tacho.db"
says 1 'short/tacho.db' "a database that was truncated is refused" "$tacho" report "$work/short"
sqlite3 "$work/old/tacho.db" "create table meta(key, value); insert into meta values ('schema_version', '0')"
says 1 'has schema version 0 and this tacho reads' "an older schema is refused" \
	"$tacho" report "$work/old"
sqlite3 "$work/other/tacho.db" "create table t(a)"
says 1 'is not a database of tacho' "somebody else's database is refused" \
	"$tacho" report "$work/other"
sqlite3 "$work/bare/tacho.db" <"$top_builddir/analyzer/db/schema.sql"
says 1 'holds no run' "a database without a run is refused" "$tacho" report "$work/bare"
says 1 'cannot write .*/no/such/page.html: .*/no/such: No such file' "an output that cannot be written is named" \
	"$tacho" report -o "$work/no/such/page.html" "$work/run1"
says 2 'an argument is missing' "a run must be given" "$tacho" report
says 2 'unknown option' "unknown options are refused" "$tacho" report --nonsense "$work/run1"

mkdir "$work/hung" "$work/lacks"
cp "$work/run1/tacho.db" "$work/hung" && cp "$work/run1/tacho.db" "$work/lacks"
sqlite3 "$work/hung/tacho.db" "update process set end = 'killed' where rank is not null; update location
	set inside = 'MPI_Allreduce', inside_since_ns = (select end_ns from process p where p.id = process_id) - 2e9
	where is_main and process_id in (select id from process where rank <> 1);
	insert into environment (run_id, scope, key, value)
		values (1, '', 'TACHO::HANG_KIND', 'late'), (1, '', 'TACHO::HANG_RANKS', '0,2,3'), (1, '', 'TACHO::HANG_FOR', '1'),
	(1, '', 'TACHO::HANG_CALL', 'MPI_Allreduce'), (1, '', 'TACHO::HANG_NS', '2000000000')"
"$tacho" report -s "$work/hung" | tr -s ' \n' ' ' >"$work/said"
grep -q 'The run hung: 3 of 4 ranks were in MPI_Allreduce for 2.0 s when it ended, and rank 1 did not come' "$work/said"
check $? "a run that hung on a rank says on which"
sqlite3 "$work/lacks/tacho.db" "update process set end = 'killed', start_ns = 0, end_ns = 0 where rank = 1; update location
	set nevents = 0 where process_id = (select id from process where rank = 1);
	insert into not_recorded (run_id, subject, reason, count, message) values ((select id from run), 'rank 1 main thread', 'missing', 1, 'a spool file is missing or unreadable');
	insert or replace into environment (run_id, scope, key, value) values ((select id from run), '', 'TACHO::VERSION', '0.1.0')"
"$tacho" report -s "$work/lacks" | tr -s ' \n' ' ' >"$work/said"
grep -q 'rank 1 left no spool: nothing is known of it' "$work/said" && ! grep -Eq 'rank 1 was killed|event lost' "$work/said"
check $? "a rank without a spool was not killed at the beginning"
grep -q 'without rank 1: transfer and serialisation efficiency are each 0[.0-9]* to 1' "$work/said" && ! grep -q 'truncated: 0 of' "$work/said"
check $? "without it the split of communication is an interval, and no process was cut"
sqlite3 "$work/lacks/tacho.db" "delete from not_recorded; delete from environment where key = 'TACHO::VERSION'"
"$tacho" report -s "$work/lacks" | tr -s ' \n' ' ' | grep -q 'rank 1 has no event in the trace: nothing is known of it'
check $? "archives of other tools know no spools"

GNUPLOT=
export GNUPLOT
"$tacho" report "$work/run1" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] && [ ! -e "$work/run1/report/steps.svg" ] &&
	[ -s "$work/run1/report/steps.csv" ] && ! grep '<svg' "$work/run1/report.html" | grep -qv 'svg class="icicle"' &&
	grep -q 'GNUPLOT is empty' "$work/run1/report.html" && ! grep -q 'apt-get install gnuplot' "$work/run1/report.html"
check $? "an empty GNUPLOT leaves the plots out without a complaint"

GNUPLOT=$work/no-such-gnuplot
says 0 'no plots, as .*no-such-gnuplot was not found: install it' \
	"without gnuplot there is a report" "$tacho" report "$work/run1"
python3 "$samples/html_check.py" "$work/run1/report.html" &&
	grep -q 'apt-get install gnuplot-nox' "$work/run1/report.html" &&
	! grep '<svg' "$work/run1/report.html" | grep -qv 'svg class="icicle"' &&
	[ "$(grep -c 'download="steps.csv"' "$work/run1/report.html")" -eq 1 ]
check $? "it has tables and data, no plots, and says what to install"

printf '#!/bin/sh\necho "\\"steps.gp\\" line 7: out of ink" >&2\nexit 3\n' >"$work/bad-gnuplot"
chmod +x "$work/bad-gnuplot"
GNUPLOT=$work/bad-gnuplot
"$tacho" report "$work/run1" >/dev/null 2>"$work/said" &&
	grep -q 'no plot steps in the report: gnuplot reports .*out of ink' "$work/said"
check $? "a failing gnuplot costs the plot, and its complaint is reported"

echo before >"$work/short/report.html"
"$tacho" report "$work/short" >/dev/null 2>&1
[ "$(cat "$work/short/report.html")" = before ]
check $? "a report that fails leaves the older one alone"
