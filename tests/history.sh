#!/bin/sh
# Many runs in one database: made by hand, with a change of known place and size. What tacho history finds and says, and
# which run of them tacho compare takes as its base.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 24
html() { python3 "$samples/html_check.py" "$@"; }
cd "$work" || exit 1
export COLUMNS=200

# make_history FILE FIRST: runs of two ranks, one per hour: step times in ms follow as lines "MS [LABEL [BRANCH]]" on stdin
make_history() {
	{
		[ -e "$1" ] || cat "$top_builddir/analyzer/db/schema.sql"
		id=$2
		while read -r ms label branch; do
			cat <<S
insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
	select $id, '${label:-train}', '/ci/run', './train', 1767225600000000000 + $id * 3600000000000, 10 * $ms * 1000000, 2, 2, 1000, 0, 0, '0', 0;
insert into environment (run_id, scope, key, value)
	values ($id, '', 'TACHO::COMMIT', printf('%08x%032d', 4096 + $id, 0)), ($id, '', 'TACHO::BRANCH', '${branch:-main}');
insert into node (id, run_id, hostname, clock_residual_ns) values ($id, $id, 'n1', 0);
insert into process (id, run_id, node_id, rank, name, start_ns, end_ns) values (2 * $id, $id, $id, 0, 'rank 0', 0, 100), (2 * $id + 1, $id, $id, 1, 'rank 1', 0, 100);
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select p.id, $id, p.id, 'train', 0, 0, 10 * $ms * 1000000, 0 from process p where p.run_id = $id;
with recursive n(i) as (select 0 union all select i + 1 from n where i < 9)
insert into step (run_id, process_id, n, phase_id, start_ns, end_ns, samples) select $id, p.id, i, p.id, i * $ms * 1000000, (i + 1) * $ms * 1000000, 16
	from n, process p where p.run_id = $id;
insert into host_time (run_id, process_id, window, state, ns)
	select $id, p.id, w.value, 'useful', 7.5 * $ms * 1000000 from process p, json_each('["run", "phase:train"]') w where p.run_id = $id
	union all select $id, p.id, w.value, 'mpi', 2.5 * $ms * 1000000 from process p, json_each('["run", "phase:train"]') w where p.run_id = $id;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values ($id, 'phase:train', 'mpi', 'parallel_efficiency', '', 0.75, '1', null), ($id, 'run', 'counters', 'storage_read', 'node:n1', 2e9, 'bit/s', null);
S
			id=$((id + 1))
		done
	} | sqlite3 -bail "$1"
}
history() { "$tacho" history "$@" >said 2>complained; }
says() { grep -qF -- "$1" said || { echo "# not said: $1"; sed 's/^/# /' said complained; return 1; }; }
complains() { [ "$(wc -l <complained)" -eq 1 ] && grep -qF -- "$1" complained || { sed 's/^/# /' complained; return 1; }; }
value() { python3 -c "import json; d = json.load(open('said')); print($1)"; }

printf '%s\n' 10.0 10.2 9.9 10.1 10.3 9.8 10.4 9.7 11.2 11.1 11.3 11.0 11.4 11.5 | make_history all.db 1
history all.db && says 'Since run 9 (train, commit 000010090000, 2026-01-01 09:00:00) a step takes 11.3 ms instead of 10.1' && says ': 11.9 % slower.' && [ ! -s complained ]
check $? "the change is found where it is, with its size"
history --format json all.db && [ "$(value '[(c["figure"], c["run"], c["unit"]) for c in d["changes"]]')" = "[('time of a step', 9, 'ms'), ('samples per second', 9, '1/s')]" ] &&
	[ "$(value 'round(d["changes"][0]["before"], 6), round(d["changes"][0]["after"], 6), d["changes"][0]["way"]')" = "10.05 11.25 worse" ]
check $? "with the medians on both sides; figures that stay have none"
[ "$(value 'len(d["runs"]), d["runs"][0]["step_ns"], d["runs"][8]["changed"], d["runs"][0]["efficiency"], d["runs"][0]["idle_%"], d["runs"][0]["read_gbps"]')" = \
	"14 10000000 time of a step, samples per second 0.75 25 2" ] && [ "$(value 'd["runs"][13]["branch"], d["runs"][0]["samples_per_s"]')" = "main 3200" ]
check $? "a run's figures are those of its main phase"
history all.db --last 9 --format json && [ "$(value 'len(d["runs"]), d["runs"][0]["step_ns"], d.get("changes", [])')" = "9 9800000 []" ] &&
	history all.db --last 9 && says '9 runs are too few to tell a small change from chance: 10 are needed at 1 % of false alarms'
check $? "too few runs are said to be so"
history all.db --last 9 --false-alarms 20 && says 'Since run 4' && says 'At most 20 %'
check $? "more false alarms need fewer runs"
printf '%s\n' 10.0 10.2 9.9 10.1 10.3 9.8 10.4 9.7 10.15 10.05 9.95 | make_history same.db 1
history same.db && says 'No change of the time of a step in 11 runs: its median is 10.1 ms.'
check $? "a series without one has none"
# A jump of the last runs is found on the first night, by its size: as many slow runs as fast ones are not needed.
jumps() { rm -f jump.db; printf '%s\n' "$@" | make_history jump.db 1; history jump.db; }
jumps 100 102 101 104 103 100 102 1010 1008 1011 && says 'Since run 8 (train, commit 000010080000, 2026-01-01 08:00:00) a step takes 1010 ms instead of 102: 890.2 % slower.' && ! grep -q 'single run' said
check $? "three runs that are ten times as slow are a change after seven"
jumps 100 102 101 104 103 100 102 1010 && says 'Since run 8 (' && says 'It is a single run: repeat it' && ! grep -q 'too few' said
check $? "so is the first of them, in the night after it"
jumps 140 138 143 139 141 142 137 140 350 && says 'Since run 9 (' && jumps 140 138 143 139 141 142 137 140 350 836 612 && says 'Since run 9 ('
check $? "and runs that are slower by different times"
jumps $(seq 100 146 | awk '{print 100 + ($1 * 37) % 11}') 160 158 161 && says 'Since run 48 ('
check $? "and the last three of fifty"
jumps 100 102 101 104 103 100 102 1010 101 && says '9 runs are too few' && jumps 100 102 101 160 103 100 99 102 101 104 158 && says 'No change'
check $? "one slow run before a usual one is none, nor is a second one a while later"
jumps 100 102 101 104 103 100 102 150 && says 'Since run 8 (' && sqlite3 jump.db "update step set start_ns = n * n * 22000000, end_ns = (n + 1) * (n + 1) * 22000000 where run_id = 8" && history jump.db && says '8 runs are too few'
check $? "nor is a run whose own steps differ as much"
printf '%s\n' '20 eval' '30 train fix' '31 train fix' | make_history all.db 15
history all.db --branch fix --format json && [ "$(value '[r["step_ns"] for r in d["runs"]]')" = "[30000000, 31000000]" ] &&
	history all.db --label eval --format json && [ "$(value '[r["step_ns"] for r in d["runs"]]')" = "[20000000]" ]
check $? "label and branch choose runs"
sqlite3 all.db "update run set exit_status = 1 where id = 17" && history all.db --branch fix && says '1 runs failed or were truncated'
check $? "failed runs are said"
history all.db --branch nothing; [ $? -eq 1 ] && complains 'all.db has no run with that label or branch' && { history nowhere.db; [ $? -eq 1 ]; } && complains 'nowhere.db' &&
	{ history all.db --false-alarms 50; [ $? -eq 2 ]; } && complains '--false-alarms 50: expected a percentage from 0.1 to 20' && { history all.db --last 0; [ $? -eq 2 ]; }
check $? "what is not there, or makes no sense, is one sentence"
history -o page.html all.db --label train --branch main && html page.html && html --text page.html >text && grep -q 'Since run 9' text &&
	grep -q 'train 000010090000' text
check $? "the page says the same"
if command -v gnuplot >/dev/null; then
	[ "$(grep -c '<svg' page.html)" -eq 3 ]
	check $? "and draws step times, shares and rates"
else
	skip "gnuplot is not installed"
fi
mkdir one && cp same.db one/tacho.db && history --format json all.db one && [ "$(value 'len(d["runs"])')" = 28 ]
check $? "runs of several databases are put together"

# Which run is the base. Besides those on main: a faster one of another label, one that failed, one on four ranks.
rm all.db && printf '%s\n' 10.4 9.7 10.1 10.3 9.9 11.0 | make_history all.db 1 && printf '%s\n' '5 other' '4 train fix' '3' '2' | make_history all.db 11 &&
	sqlite3 all.db "update run set exit_status = 1 where id = 13; update run set nranks = 4 where id = 14"
printf '%s\n' 11.5 | make_history new.db 40
base() { "$tacho" compare --label train "$@" all.db new.db --format json >said 2>complained; }
of() { value 'round(d["change"]["base_ns"] / 1e6, 3), d["base"]["label"]'; }
base --baseline last --branch main && [ "$(of)" = "11.0 train" ] && base --branch main && [ "$(of)" = "11.0 train" ] && base --branch fix && [ "$(of)" = "4.0 train" ]
check $? "the base is the last run of a label and branch that ended well and is as large"
base --baseline best --branch main && [ "$(of)" = "9.7 train" ] && base --baseline median:5 --branch main && [ "$(of)" = "10.1 train" ] &&
	base --baseline median:2 --branch main && [ "$(of)" = "9.9 train" ] && base --baseline median --branch main && [ "$(of)" = "10.1 train" ]
check $? "or the fastest one, or the one in the middle of the last"
# Neighbours among the six differ by 4.12 % (median), so two of them by sqrt 2 x 2.776 x 4.12 / 0.954 %: 11.5 ms may be 9.7 x 1.013.
"$tacho" compare all.db new.db --gate --baseline best --branch main --label train --threshold 1 >said 2>complained; [ $? -eq 3 ] && says '19 % ± 0 % slower than train' &&
	says 'two of the last 6 runs differ by up to 17.0 %' && { "$tacho" compare all.db new.db --gate --baseline best --branch main --label train >said 2>complained; [ $? -eq 1 ]; } &&
	complains 'the threshold is 5 %, but two of the last runs differ by up to 17.0 % themselves' &&
	"$tacho" compare all.db new.db --gate --baseline last --branch main --label train >said 2>complained && says 'gate: passed' && [ ! -s complained ] &&
	"$tacho" compare all.db new.db -o pair.html --baseline best --branch main >said 2>complained && html pair.html
check $? "the gate decides by it, and the page has it"
sqlite3 new.db "update run set nranks = 4"; "$tacho" compare all.db new.db --gate --baseline last --branch fix >said 2>complained
[ $? -eq 1 ] && complains 'all.db has no baseline' && { "$tacho" compare all.db new.db --baseline mean >said 2>complained; [ $? -eq 2 ]; } &&
	complains '--baseline mean: expected last, best, median or median:N' && { "$tacho" compare nowhere.db new.db --baseline last >said 2>complained; [ $? -eq 1 ]; } && complains nowhere.db
check $? "where there is none, or it is not understood, that is one sentence"

# Recorded: two runs in the same folder, as CI has them.
unset CI_COMMIT_SHA GITHUB_HEAD_REF
GITHUB_SHA=0123456789abcdef0123456789abcdef01234567 GITHUB_REF_NAME=main && export GITHUB_SHA GITHUB_REF_NAME
"$tacho" -q record --all -o run --db real.db -- sleep 0.01 && "$tacho" -q record --all -f -o run --db real.db -- sleep 0.01 && "$tacho" -q analyze --db real.db run &&
	history --format json real.db && [ "$(value '[(r["commit"], r["branch"], r["label"]) for r in d["runs"]]')" = "[('0123456789ab', 'main', 'run'), ('0123456789ab', 'main', 'run')]" ]
check $? "a run that is recorded is kept with its commit and branch, beside an earlier one of its folder, and once only"
"$tacho" -q record --all --no-git -f -o run -- sleep 0.01 && [ "$(sqlite3 run/tacho.db "select count(*) from environment where key like 'TACHO::%C%' and value like '%0123456789ab%'")" = 0 ] &&
	! grep -rq 0123456789ab run/trace/traces.otf2 run/run.properties
check $? "and without if that is wanted"
