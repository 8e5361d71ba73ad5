#!/bin/sh
# The page of several runs: what each is next to the others, speed-up, rates in the manner of benchmarks, differences.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 11
html() { python3 "$samples/html_check.py" "$@"; }
cd "$work" || exit 1

# A study of one configuration on 1, 2 and 4 nodes, and another one on 2; twice as many ranks are 1.8 times as fast.
for nodes in 1 2 4; do
	make_run "conv-n$nodes" $((nodes * 2)) 40 $nodes train
	sqlite3 "conv-n$nodes/tacho.db" "update run set label = 'conv-n$nodes'; update step set samples = 198 * 18 / (18 + 2 * ($nodes > 1) + 2 * ($nodes > 2))"
done
make_run mlp-n2 4 40 2 train gpu
sqlite3 mlp-n2/tacho.db "update run set label = 'mlp-n2'; update environment set value = 'Open MPI 5.0.1' where key like '%mpi_library'"

path=$("$tacho" report conv-n1 conv-n2 conv-n4 mlp-n2 2>said)
check $? "tacho report takes several runs"
[ "$path" = tacho-runs.html ] && html "$path"
check $? "and prints the path of a well-formed page"
html --text "$path" | sed 's/^Written by tacho.*/Written by tacho/' >text
if command -v gnuplot >/dev/null 2>&1; then
	golden page_runs text
	check $? "its text is that of tests/report/page_runs.txt"
	[ ! -s said ] && [ "$(grep -c '<svg' "$path")" -eq 3 ]
	check $? "speed, speed-up and bars of several runs are drawn"
else
	skip "gnuplot is not installed"
	skip "gnuplot is not installed"
fi
TACHO=$tacho python3 - <<'P'
import csv, json, subprocess, os
rows = {r["Run"]: r for r in csv.DictReader(open("tacho-runs/runs.csv", newline="", encoding="utf-8"))}
rates = {r["Configuration"]: r for r in csv.DictReader(open("tacho-runs/runs_rates.csv", newline="", encoding="utf-8"))}
said = json.loads(subprocess.run([os.environ["TACHO"], "scaling", "--format", "json", "conv-n1", "conv-n2", "conv-n4"], capture_output=True).stdout)
assert [round(float(rows["conv-n%d" % n]["Speed-up"]), 2) for n in (1, 2, 4)] == [1, 1.75, 3.19], rows
assert all(abs(float(rows[r["run"]]["Speed-up"]) - r["speedup"]) < 1e-9 for r in said["runs"]) and len(said["runs"]) == 3, said
assert rows["mlp-n2 (emulated)"]["Speed-up"] == "" and rates["conv"]["Nodes"] == "1 / 2 / 4", (rows, rates)
assert rates["mlp-n"]["Nodes"] == "2" if "mlp-n" in rates else rates["mlp"]["Nodes"] == "2", rates
P
check $? "runs that differ in a last number are one configuration, and speed-up is that of tacho scaling; alone there is none"
sed -n '/^# Differences/,$p' text >differences
grep -q 'Open MPI 5.0.1 | mlp-n2' differences && grep -q 'Open MPI 4.1.4 | conv-n1, conv-n2, conv-n4' differences &&
	! grep -q EPYC differences
check $? "what differs names who has it, what all have is left out"

"$tacho" report -o same.html conv-n1 conv-n1 >/dev/null && html same.html &&
	grep -q 'conv-n1 (2)' same.html && grep -q 'The runs have the same environment' same.html
check $? "a run twice is told apart by its number"
"$tacho" report conv-n1 nowhere >/dev/null 2>said
[ $? -eq 1 ] && grep -q 'nowhere does not exist' said && [ "$(wc -l <said)" -eq 1 ]
check $? "a run that is missing is one sentence and status 1"

make_run hostile 4 40 2 train hostile
cp hostile/tacho.db before.db
"$tacho" report -o hostile.html hostile conv-n2 >/dev/null 2>said && html hostile.html && [ ! -s said ] &&
	cmp -s hostile/tacho.db before.db && [ -z "$(find "$work" -name pwned)" ]
check $? "hostile names stay in their place, databases as they are"
cp conv-n1/tacho.db several.db && sqlite3 several.db "insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
	select 2, 'second', path, command, start_ns, duration_ns, nranks,
	nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns from run" &&
	[ "$("$tacho" report several.db 2>said)" = ./report.html ] && [ -s report.html ] &&
	grep -q 'several.db holds 2 runs: this is about second, the last one' said &&
	[ "$("$tacho" report conv-n1/tacho.db 2>said)" = conv-n1/report.html ] && [ ! -s said ]
check $? "of a database the path is printed, and which of several runs it is"
"$tacho" report --summary conv-n1 mlp-n2 >text && grep -q '^conv-n1: 2 ranks' text && grep -q '^mlp-n2: 4 ranks' text
check $? "--summary prints one after the other"
