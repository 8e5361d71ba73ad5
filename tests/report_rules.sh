#!/bin/sh
# A site's rules add findings to the page and the summary, and change nothing; a wrong rule is one sentence.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3
plan 13

make_run run 4 100 2 train
before=$(cksum <"$work/run/tacho.db")
mkdir "$work/rules"
cat >"$work/rules/ours.sql" <<-'END'
	-- ranks that wait a second or more
	select total_ns / 1e9 as seconds, 'our rule: rank ' || p.rank || ' is in ' || c.name as message, 'ask the site' as advice, p.rank as culprit_rank
	from call c join process p on p.id = c.process_id where c.run_id = :run and p.rank = 2 order by total_ns desc limit 1;
END
cat >"$work/rules/words.rule" <<'END'
# the same with words, as built-in rules have them
message	busy rank:: rank {rank} is in {call}[ of {file}] for {seconds:.1f} s
brief	rank {rank} is busy
advice	look at rank {rank}
confidence	≤ low: {how}
how	by the calls
evidence	select * from call where run_id = {run} and name = {call:q}

query
select c.total_ns / 1e9 as seconds, p.rank, c.name as call, null as file
from call c join process p on p.id = c.process_id where c.run_id = :run and p.rank = 2 order by total_ns desc limit 1
END
echo "select null as seconds, 'never' as message" >"$work/rules/silent.sql"

known=$(sqlite3 "$work/run/tacho.db" "select count(*) from finding")
GNUPLOT='' "$tacho" report --rules "$work/rules" -o "$work/page.html" "$work/run" >"$work/out" 2>&1
check $? "a page with a site's rules is written"
grep -q 'our rule: rank 2 is in ' "$work/page.html"
check $? "it has the finding of a rule"
grep -q 'ask the site' "$work/page.html"
check $? "with its advice"
grep -q 'rank 2 is in [A-Za-z_]* for [0-9.]* s' "$work/page.html" && grep -q 'look at rank 2' "$work/page.html"
check $? "and that of a rule in the format of the built-in ones, in its words"
! grep -q 'never' "$work/page.html"
check $? "a row without seconds is no finding"
[ "$(cksum <"$work/run/tacho.db")" = "$before" ]
check $? "the database is as before, with its $known findings"

# wrong NAME SENTENCE SQL: the rule ends the command with status 1 and this sentence
wrong()
{
	mkdir -p "$work/wrong"
	rm -f "$work"/wrong/*
	printf '%s\n' "$3" >"$work/wrong/${4:-bad.sql}"
	GNUPLOT='' "$tacho" report -s --rules "$work/wrong" "$work/run" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -qF "$2" "$work/err"
	check $? "$1" || cat "$work/err"
}

wrong "an error of SQL" 'bad.sql: near "selct": syntax error' "selct 1"
wrong "two statements" "bad.sql: it has more than one statement" "select 1 as seconds, 'a' as message; select 2"
wrong "a statement that deletes" "bad.sql: it changes the database" "delete from run"
wrong "a query without a message" "bad.sql: it has no columns seconds and message" "select 1 as seconds"
wrong "a rule without texts" "rule bad for findings: missing" 'query
select 1 as seconds' bad.rule
wrong "a text with a name that the query lacks" "rule bad for findings: neither a column nor a text: who" 'message	{who} is late
brief	a
advice	b
confidence	low: c
evidence	select 1
query
select 1 as seconds' bad.rule
mkdir "$work/empty"
"$tacho" report -s --rules "$work/empty" "$work/run" 2>&1 | grep -q 'the folder has no rules (NAME.rule or NAME.sql)'
check $? "a folder without a rule"
