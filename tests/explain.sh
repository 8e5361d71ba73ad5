#!/bin/sh
# tacho explain: a diagnosis in 4 KB, each sentence proved by a query that gives the rows shown.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 15

# proven RUN: what --json says holds, and its queries give its rows
proven() {
	"$tacho" explain --json "$1" >"$work/json" && python3 - "$work/json" "$1/tacho.db" <<'P'
import json, sqlite3, subprocess, sys
said = open(sys.argv[1], "rb").read()
assert len(said) <= 4096, len(said)
said = json.loads(said)
keys = [s["key"] for s in said["statements"]] + said["more"]
assert len(set(keys)) == len(keys) and keys[0] == "verdict", keys
db = sqlite3.connect("file:%s?mode=ro" % sys.argv[2], uri=True)
proved = 0
for s in said["statements"]:
    if not s["query"]:
        continue
    cursor = db.execute(s["query"])
    names = [d[0] for d in cursor.description]
    rows = cursor.fetchall()
    assert len(s["rows"]) <= len(rows), s
    for shown, row in zip(s["rows"], rows):
        row = dict(zip(names, row))
        assert all(abs(row[k] - v) < 1e-9 * max(1, abs(v)) if isinstance(v, float) else row[k] == v
                   for k, v in shown.items()), (shown, row)
        proved += 1
assert proved > 0
P
}

make_run run1 4 100 2 train
proven "$work/run1"
check $? "JSON: keys are unique, and queries give the rows that are shown"
"$tacho" explain "$work/run1" >"$work/text" && [ "$(wc -c <"$work/text")" -le 4096 ] && head -n 1 "$work/text" | grep -q '^# run1: 4 ranks' &&
	grep -q '^- \*\*verdict\*\*: ' "$work/text" && grep -q '^- \*\*time.ranks\*\*: time of the ranks: ' "$work/text"
check $? "Markdown: the run, the verdict, where the time went"
ok=0
for key in $(sed -n 's/^More: .* one of //p' "$work/text"); do
	"$tacho" explain "$work/run1" "$key" >"$work/one" && grep -q "^- \*\*$key\*\*: " "$work/one" || { echo "# $key"; ok=1; }
done
check $ok "each key that it names says more"
"$tacho" explain "$work/run1" rank.1 | grep -q "^- \*\*rank.1\*\*: rank 1: .*(the others "
check $? "a rank stands beside the others"
sqlite3 "$work/run1/tacho.db" "delete from straggler where rank = 1; delete from cause where ranks = '1'; insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values
	(1, 90, 'sleep', '1', 1, 'fetch() at train.py:7', 5, 1, 9, 2e9, 8e9, 2e9)"
"$tacho" explain "$work/run1" late.1 | grep -q 'no straggler .*ladder: sleep at fetch() at train.py:7 in 5 steps, 400 ms each, 2 s' &&
	"$tacho" explain "$work/run1" late.3 | grep -q '^- \*\*late.3\*\*: rank 3 '
check $? "of a rank that is no straggler it has the causes of the ladder"
sqlite3 "$work/run1/tacho.db" "update run set cut = 1"
"$tacho" explain "$work/run1" trust | grep -q 'cut off.*notes*, from quality.1 on' &&
	"$tacho" explain "$work/run1" quality.1 | grep -q 'the run was truncated'
check $? "trust names the notes of the line on quality"
sqlite3 "$work/run1/tacho.db" "update run set cut = 0"
"$tacho" explain "$work/run1" efficency >"$work/one" 2>"$work/said"
[ $? -eq 2 ] && grep -q "has no statement efficency: did you mean efficiency?" "$work/said" && [ ! -s "$work/one" ]
check $? "a key that is not there is said, with the one that was meant"

"$tacho" explain "$work/run1" | grep -A4 '^- \*\*efficiency\*\*' | sed -n 's/^    - name \([a-z_]*\),.*/\1/p' | tr '\n' ' ' >"$work/rows"
[ "$(cat "$work/rows")" = "parallel_efficiency load_balance communication_efficiency " ] || { sed 's/^/# /' "$work/rows"; false; }
check $? "the rows that are shown are the figures of the sentence"
sqlite3 "$work/run1/tacho.db" "update step set end_ns = start_ns + 2000000000 + 100000000 * (n = 3)"
"$tacho" explain "$work/run1" steps | grep -q ' steps took 2000 ms in the median and 2100 ms at most (step 3)'
check $? "times of long steps have all their digits"

make_run wide 700 4 2 train
proven "$work/wide"
check $? "of 700 ranks it is no longer"
make_run hostile 4 100 2 train hostile
sqlite3 "$work/hostile/tacho.db" "insert into finding(run_id, rule, n, seconds, message, evidence) values
	(1, 'x' || char(27) || '[31m', 901, 1, char(27) || '[2J' || char(10) || '# head', 'delete from run'),
	(1, 'y', 902, 1, 'attached', 'attach ''$work/pwned'' as pwned')"
"$tacho" explain "$work/hostile" >"$work/one" 2>"$work/said"
[ $? -eq 1 ] && grep -q "evidence of " "$work/said" && [ ! -e "$work/pwned" ] && [ "$(sqlite3 "$work/hostile/tacho.db" 'select count(*) from run')" = 1 ]
check $? "evidence that does more than read is refused"
"$tacho" explain "$work/nothing" 2>"$work/said"
[ $? -eq 1 ] && [ "$(wc -l <"$work/said")" -eq 1 ]
check $? "no run is one sentence"

make_run causes 2 40 1 train
sqlite3 "$work/causes/tacho.db" "insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values
	(1, 1, 'sleep', '0', 1, 'validate() at train.py:17', 5, 7, 39, 4e9, 4.5e9, 3.5e9),
	(1, 2, 'wait', '0,1', 2, null, 39, 1, 39, 2e9, 2.5e9, 2e9),
	(1, 3, 'sleep_outside', '1', 1, 'finish() at train.py:30', 0, 0, 0, 1e9, 0, 1e9)"
"$tacho" explain "$work/causes" ladder | grep -q '^- \*\*ladder\*\*: the steps take 8 s; 4.5 s without sleep of rank 0 in validate() at train.py:17; 2.5 s without waiting of ranks 0,1 as well$'
check $? "the ladder names what the steps take without each cause and those before it"
"$tacho" explain "$work/causes" cause.2 | grep -q '^- \*\*cause.2\*\*: waiting of ranks 0,1: without it and the causes before it the steps would take 2.5 s instead of 4.5$'
check $? "each cause by its number"
sqlite3 "$work/causes/tacho.db" "delete from account; insert into account (run_id, n, what, cause, ns)
	values (1, 1, 'cause', 1, 35e8), (1, 2, 'start', null, 2e9), (1, 3, 'io', null, 1e9), (1, 4, 'rest', null, 5e8)"
"$tacho" explain "$work/causes" account | grep -q "^- \*\*account\*\*: the run lasted 7 s: 3.5 s are lost to sleep of rank 0 in validate() at train.py:17; 2 s are before the first step; 1 s of the steps are I/O; 0.5 s are in no rank's own time\$"
check $? "the account of the run's duration"
