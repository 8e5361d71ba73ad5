#!/bin/sh
# Every link of every finding leads to content that shows it, in Chromium and in Firefox; and what follows them finds wrong ones.
. "$top_srcdir/tests/report_common.sh"
. "$top_srcdir/tests/report_browse.sh"
needs sqlite3 chromium python3
plan 6

# follow FOLDER: what links.js says of the page there, in Chromium
follow() {
	{
		echo '<body><script>onload = async () => { const go = async (document, window) => {'
		cat "$1/links.txt"
		echo '}; console.log("followed " + await go(frames[0].document, frames[0]).catch((e) => `wrong: ${e}`)); };</script>'
		echo '<iframe width="1300" height="900" src="report.html"></iframe></body>'
	} >"$1/links.html"
	browse --allow-file-access-from-files --virtual-time-budget=200000 --screenshot="$work/links.png" "file://$1/links.html" >/dev/null
	sed -n 's/.*"followed \(.*\)", source.*/\1/p' "$work/log"
}

# Rank 2 works for longer since step 31; it and rank 12 sleep, each at its place; GPU 1 computes nothing.
make_run run 16 100 2 train gpu
db=$work/run/tacho.db
sqlite3 "$db" "delete from finding;
	insert into finding (run_id, rule, variant, n, seconds, message, brief, evidence, culprit_rank, phase, place, first_step, last_step) values
	(1, 'step_compute', 'compute', 1, 9, 'rank 2 computes longer', 'rank 2 computes longer', '', 2, null, 'step() at train.py:40', 31, 99),
	(1, 'step_wait', 'sleep', 2, 8, 'rank 12 sleeps in loading', 'rank 12 sleeps', '', 12, null, 'collate() at data.py:88', 0, 60),
	(1, 'step_wait', null, 3, 7, 'rank 1 waits in sem_wait', 'rank 1 waits', '', 1, null, 'sem_wait', 10, 90),
	(1, 'validation_share', null, 4, 6, 'validate takes much of the run', 'validate', '', null, 'validate', null, null, null),
	(1, 'data_loading', 'storage', 5, 5, 'the ranks wait for storage', 'the ranks wait', '', null, null, null, null, null),
	(1, 'checkpoint', 'all', 6, 5, 'checkpoints', 'checkpoints', '', null, null, null, null, null),
	(1, 'ideal_network', 'transfer', 7, 4, 'communication takes long', 'communication', '', null, null, null, null, null),
	(1, 'ideal_network', 'serialisation', 8, 4, 'ranks wait in a chain', 'serialisation', '', null, null, null, null, null),
	(1, 'outside_more', 'sleep', 9, 1, 'rank 3 sleeps 1 s before the first step', 'rank 3 sleeps', '', 3, null, null, null, null),
	(1, 'start_end', 'mpi', 10, 1, 'MPI starts slowly', 'MPI', '', null, null, null, null, null),
	(1, 'gpu_starved', 'host', 11, 1, 'GPUs wait for the host', 'GPUs', '', null, null, null, null, null),
	(1, 'unused_gpu', null, 12, 1, 'GPUs without work', 'GPUs', '', null, null, null, null, null),
	(1, 'gpu_starved', 'launches', 13, 1, 'launches', 'launches', '', null, null, null, null, null),
	(1, 'blocked', null, 14, 1, 'rank 2 was blocked in no call that is recorded', 'blocked', '', 2, null, null, null, null);
	insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'sleep_outside', '3', 1, null, 0, -2, -2, 1e9, 1e9, 1e9), (1, 2, 'compute', '2', 1, 'step() at train.py:40', 69, 31, 99, 1e9, 1e9, 9e9);
	insert into cause_without (run_id, causes, steps_ns, outside_ns) values (1, 0, 10e9, 2e9), (1, 1, 10e9, 1e9), (1, 2, 1e9, 2e9), (1, 3, 1e9, 1e9);
	delete from device_time where device_id = 2 and state = 'compute'"
GNUPLOT=none "$tacho" report "$work/run" >/dev/null 2>&1
links_driver "$work/run"
follow "$work/run" >"$work/said"
sed 's/^/# /' "$work/said"
grep -Eq '^[23][0-9] places, 1[1-3] tables$' "$work/said"
check $? "each link of a finding shows its rank, time, state, and rows that show it"
python3 - "$work/run/report.html" >"$work/rows" <<'P'
import re, sys
print("\n".join(re.findall(r'id="finding-(\d+)" data-rows', open(sys.argv[1]).read())))
P
! grep -qx 14 "$work/rows" || grep -o 'finding-14" data-rows="[^"]*' "$work/run/report.html" | grep -q '\[\]'
check $? "a finding of what no row shows has no such link"

# Planted wrong links: another rank's row, another time, another state, another rank's rows, a cause of another rank.
mkdir "$work/wrong"
cp "$db" "$work/wrong/"
sed 's/{&quot;n&quot;:1,\([^}]*\)rank 2&quot;/{\&quot;n\&quot;:1,\1rank 4\&quot;/g
	s/&quot;slow_ranks&quot;,&quot;rank 2&quot;/\&quot;stragglers\&quot;,\&quot;rank 12\&quot;/
	s/data-rows="\[\[&quot;phases&quot;,&quot;validate&quot;\]/data-rows="[[\&quot;phases\&quot;,\&quot;train\&quot;]/
	s/{&quot;n&quot;:9,&quot;from&quot;:0,&quot;to&quot;:[0-9]*,&quot;row&quot;:&quot;rank 3&quot;,&quot;state&quot;:&quot;wait/{\&quot;n\&quot;:9,\&quot;from\&quot;:0,\&quot;to\&quot;:3000000000,\&quot;row\&quot;:\&quot;rank 3\&quot;,\&quot;state\&quot;:\&quot;compute/' "$work/run/report.html" >"$work/wrong/report.html"
links_driver "$work/wrong"
sed -i 's/^const causes = .*/const causes = [{ n: 1, rank: 3 }, { n: 2, rank: 5 }];/' "$work/wrong/links.txt"
follow "$work/wrong" | sed 's/; /\n/g' >"$work/said"
sed 's/^/# /' "$work/said" | cut -c 1-200 | head -40
grep -q 'finding 1 (step_compute/compute).*goes to rank 4, not to rank 2' "$work/said" && grep -q 'finding 9 .*not the time before the first step' "$work/said" &&
	grep -q 'finding 9 .*shows no compute of rank 3' "$work/said" && grep -q 'cause 2 leads to rank 2' "$work/said"
check $? "a link to another rank, time or state is found"
grep -q 'finding 1 (step_compute/compute), rows that show it: "rank 12 .*does not show it' "$work/said" && grep -q 'finding 4 .*rows that show it: "train .*does not show it' "$work/said"
check $? "rows that do not show it are found"

# The ranks that the report calls stragglers stand first where ranks are compared, though another one has more of all steps.
sqlite3 "$db" "update step set end_ns = end_ns + 150000000 where process_id = 8 and n < 20"
GNUPLOT=none "$tacho" report "$work/run" >/dev/null 2>&1
sed 1d "$work/run/report/stragglers.csv" | sort -t , -k 6 -rn | head -1 | grep -q 'rank 7' && sed -n 2p "$work/run/report/stragglers.csv" | grep -q 'rank 2'
check $? "a straggler stands first where ranks are compared"

timeout 400 python3 "$samples/firefox.py" "$work/run/report.html" "$work/run/links.txt" >"$work/said" 2>&1
if [ $? -eq 77 ]; then
	skip "Firefox does not start here"
else
	sed 's/^/# /' "$work/said"
	grep -Eq '^[23][0-9] places, 1[1-3] tables$' "$work/said"
	check $? "in Firefox as well"
fi
