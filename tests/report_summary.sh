#!/bin/sh
# The summary at the end of tacho record: golden text, width, colour.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3
plan 26

make_run run1 4 100 2 train
"$tacho" report -s "$work/run1" >"$work/text"
cp "$work/text" "$work/text.run1"
golden summary_run1 "$work/text"
check $? "a run of 4 ranks is summed up as in tests/report/summary_run1.txt"

make_run killed 4 100 2 train killed
"$tacho" report -s "$work/killed" >"$work/text"
golden summary_killed "$work/text"
check $? "a killed run says which rank was inside which call, what was lost and why figures are missing"

make_run nothing 1 1 1 empty
"$tacho" report -s "$work/nothing" >"$work/text"
golden summary_nothing "$work/text"
check $? "a run without events has a summary"

make_run gpu 4 100 2 train gpu
"$tacho" report -s "$work/gpu" >"$work/text"
golden summary_gpu "$work/text"
check $? "a run with emulated GPUs says so, and where their time went"

# two GPUs: work from 30 and 10 % of the run on, until 90 and 100 % of it
add_streams() {
	sqlite3 "$work/gpu/tacho.db" "insert into location (id, run_id, process_id, ref, name, kind, nevents, start_ns, end_ns)
		select 9000 + u.device_id, 1, u.process_id, 9000 + u.device_id, 'CUDA[' || u.ordinal || ':7]',
			'accelerator_stream', 2, (case u.device_id when 1 then $1 else 0.1 end) * r.duration_ns,
			(case u.device_id when 1 then 0.9 else 1 end) * r.duration_ns
		from process_device u, run r where u.device_id in (1, 2)"
}
add_streams 0.3
"$tacho" report -s "$work/gpu" | grep -q '^GPU start and end .* (20 %) before the first work, .* (5 %) after the last$'
check $? "how long GPUs had no work yet, and none any more, has a line"
sqlite3 "$work/gpu/tacho.db" "update location set start_ns = 0, end_ns = (select duration_ns from run) where id > 9000"
! "$tacho" report -s "$work/gpu" | grep -q '^GPU start and end'
check $? "and none where that is little"

"$tacho" report --brief "$work/run1" >"$work/brief" && [ "$(head -n "$(wc -l <"$work/brief")" "$work/text.run1")" = "$(cat "$work/brief")" ] &&
	[ "$(sed 's/  .*//' "$work/brief" | grep . | tr '\n' ' ')" = "$(sed -n '/^run1:/,/^next/p' "$work/text.run1" | sed 's/  .*//' | grep . | tr '\n' ' ')" ] && grep -q '^next' "$work/brief"
check $? "--brief prints what the run is, the verdict, why and what to do next alone"
make_run once 4 100 2 train
sqlite3 "$work/once/tacho.db" "insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence) values
	(1, 'validation_share', 1, 4, 'validate takes 4 s', 'validation', 'select 1', 'validate less often', 'high'), (1, 'pinning', 2, 2, 'ranks share cores', 'pinning', 'select 1', 'bind them', 'high')"
"$tacho" report -s "$work/once" >"$work/text" && [ "$(grep -c 'validate takes 4 s\|validate less often' "$work/text")" -eq 2 ] &&
	grep -q '^  1  *4.0  *see why and next, above$' "$work/text" && grep -q '^  2  *2.0  *ranks share cores  → bind them$' "$work/text"
check $? "each sentence of a finding is there once"
sqlite3 "$work/once/tacho.db" "update host_time set ns = 1000 where state = 'io'"
"$tacho" report -s "$work/once" | grep '^main threads' >"$work/text" && grep -q 'I/O' "$work/text.run1" && grep -q useful "$work/text" && ! grep -q 'I/O\|<' "$work/text"
check $? "a state of next to no time is left out"
make_run idle 4 100 2 train
sqlite3 "$work/idle/tacho.db" "update throughput_second set bytes = 1; update metric set value = 0.001 where name glob 'storage_*' or name glob 'network_*'"
"$tacho" report -s "$work/idle" >"$work/text" && grep -q '^per node' "$work/text.run1" && ! grep -q '^per node\|Gb/s' "$work/text"
check $? "rates of next to nothing have no line"

make_run cheap 4 100 2 train
sqlite3 "$work/cheap/tacho.db" "update metric set value = 0.0002 where name like 'overhead%'"
"$tacho" report -s "$work/cheap" | grep -q 'measurement overhead < 0.1 %$'
check $? "what costs next to nothing does not cost 0.0 %"

sqlite3 "$work/cheap/tacho.db" "insert into finding (run_id, rule, n, seconds, term, message, advice, evidence) select id, 'memory_growth', 99, 0,
	'memory', 'memory: the memory of rank 1 grows steadily', 'look for lists', '' from run"
! grep -q '^memory' "$work/text.run1" && "$tacho" report -s "$work/cheap" | grep -q '^memory  *the memory of rank 1 grows steadily  → look for lists$'
check $? "memory that grows has a line, though it costs no seconds"

sqlite3 "$work/cheap/tacho.db" "update metric set flag = 'up to 84 MB of the bytes written are tacho''s own records'
	where model = 'counters' and name = 'storage_write' and subject = 'node:n1'"
"$tacho" report -s "$work/cheap" | tr -s ' \n' '  ' | grep -q 'storage of node n1: up to 84 MB of the bytes written'
check $? "how much of what a node wrote are own records is said"

make_run shared 4 100 2 train
sqlite3 "$work/shared/tacho.db" "delete from finding; insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence) values (1, 'validation_share', 1, 4, 'validating', 'b', 'select 1', 'less', 'high'),
		(1, 'outside_more', 2, 3, 'rank 1 has more work', 'b', 'select 1', 'share', 'high'), (1, 'step_wait', 3, 1, 'locks', 'b', 'select 1', 'none', 'high');
	insert into finding_time (run_id, n, phase, kind, seconds, shared)
		values (1, 1, 'validate', 'all', 4, 0), (1, 2, 'validate', 'own/compute', 2.5, 2.5), (1, 2, 'validate', 'own/io', 0.5, 0),
		(1, 3, null, 'own/wait/lock', 1, 0.1);
	insert into finding_overlap (run_id, n, other, seconds) values (1, 2, 1, 2.5), (1, 3, 1, 0.1)"
COLUMNS=200 "$tacho" report -s "$work/shared" >"$work/text" && grep -q 'more work – up to 2.50 s of this saving may also be in finding 1  → share' "$work/text" &&
	! grep -q 'locks –' "$work/text" && GNUPLOT=none "$tacho" report "$work/shared" >/dev/null 2>&1 &&
	grep -q 'up to 2.50 s of this saving may also be in finding 1' "$work/shared/report.html" &&
	"$tacho" stats --format json "$work/shared" findings | grep -q '"shared": 2.5, "shared_with": "1", "rule": "outside_more"'
check $? "seconds that a finding before promises, too, are said"

make_run starts 4 100 2 train
sqlite3 "$work/starts/tacho.db" "insert into host_time (run_id, process_id, window, state, ns)
	select run_id, process_id, 'active', 'useful', sum(ns) - 1200000000 from host_time
		where window = 'run' group by process_id;
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		values (1, 'active', 'mpi', 'parallel_efficiency', '', 0.98, '1', null), (1, 'active', 'mpi', 'load_balance', '', 0.99, '1', null),
		(1, 'active', 'mpi', 'communication_efficiency', '', 0.9899, '1', null)"
COLUMNS=200 "$tacho" report -s "$work/starts" | tr -s ' \n' '  ' |
	grep -q 'POP, MPI active 0.98 = load balance 0.99 × communication 0.99 · MPI_Init to MPI_Finalize; start and end took 1.20 s'
check $? "figures between MPI_Init and MPI_Finalize stand below those of the run, with what start and end took"
sqlite3 "$work/starts/tacho.db" "update host_time set ns = ns + 1190000000 where window = 'active'"
! "$tacho" report -s "$work/starts" | grep -q 'MPI active' && "$tacho" report "$work/starts" >/dev/null 2>&1 &&
	grep -q 'MPI_Init to MPI_Finalize' "$work/starts/report.html"
check $? "and only on the page where these are less than a hundredth of it"

rate() { "$tacho" report -s "$work/$1" | sed -n 's/.* \([0-9,]*\) samples.s.*/\1/p' | tr -d ,; }
make_run orphans 4 100 2 train
sqlite3 "$work/orphans/tacho.db" 'update step set phase_id = null; delete from phase'
alone=$(rate orphans)
sqlite3 "$work/orphans/tacho.db" 'update run set duration_ns = 2 * duration_ns'
[ "${alone:-0}" -gt 0 ] && [ "$(rate orphans)" = "$alone" ]
check $? "samples per second are those of the ranks, whatever outlived them"

make_run gloo 4 100 2 train
sqlite3 "$work/gloo/tacho.db" "delete from collective; delete from call where class in ('mpi', 'nccl'); delete from host_time where state = 'mpi'"
"$tacho" report -s "$work/gloo" >"$work/text"
grep -q '^POP, MPI *not known: no MPI or NCCL call of the ranks was seen$' "$work/text" && grep -q '^POP, host *0[0-9.]* = MPI – × thread' "$work/text"
check $? "factors of communication that nobody saw are not known"

"$top_builddir/tests/unit/golden" "$tacho" "$work" write "$top_srcdir/tests/golden/cases/v30_two_nodes_lb_in_out.case"
"$tacho" -q analyze --db "$work/nodes.db" "$work/traces.otf2"
"$tacho" report -s "$work/nodes.db" | tr -s ' \n' '  ' | grep -q 'the trace does not state how accurate the clocks of n0, n1 are' &&
	[ "$("$tacho" info "$work/nodes.db" | grep -c 'not in the trace$')" -eq 2 ]
check $? "of another tool's clocks nothing is said that is not in the trace"

COLUMNS=64 "$tacho" report -s "$work/killed" >"$work/text"
[ -s "$work/text" ] && [ "$(LC_ALL=C.UTF-8 wc -L <"$work/text")" -le 64 ]
check $? "lines are as wide as COLUMNS says, at most"

COLUMNS=64 "$tacho" report -s "$work/killed" | tr -s ' \n' '  ' >"$work/narrow"
"$tacho" report -s "$work/killed" | tr -s ' \n' '  ' >"$work/wide"
[ "$(sed 's/·//g; s/ //g' "$work/narrow")" = "$(sed 's/·//g; s/ //g' "$work/wide")" ]
check $? "a narrow summary says the same as a wide one"

! "$tacho" report -s "$work/run1" | grep -q "$(printf '\033')"
check $? "there is no colour in a pipe"

if command -v script >/dev/null 2>&1; then
	TERM=xterm script -qec "'$tacho' report -s '$work/run1'" /dev/null </dev/null |
		grep -q "$(printf '\033')"
	check $? "there is colour on a terminal"
	! NO_COLOR=1 TERM=xterm script -qec "'$tacho' report -s '$work/run1'" /dev/null </dev/null |
		grep -q "$(printf '\033')"
	check $? "NO_COLOR takes it away"
else
	skip "script is not installed"
	skip "script is not installed"
fi

make_run hostile 4 100 2 train hostile
"$tacho" report -s "$work/hostile" >"$work/text" && [ -s "$work/text" ] &&
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$work/text"
check $? "names cannot send control characters to the terminal"

# The interval of the replay's factors, from what it does not know
make_run unsure 4 100 2 train
sqlite3 "$work/unsure/tacho.db" "update metric set value = 0.8 where model = 'mpi' and name = 'transfer_efficiency' and window = 'run';
	update metric set value = 0.5 where model = 'mpi' and name = 'serialisation_efficiency' and window = 'run';
	insert into metric (run_id, window, model, subject, name, value, unit) values (1, 'run', 'mpi', '', 'without_rule', 0.1, '1'),
		(1, 'run', 'mpi', '', 'ideal_network_runtime', 1e9, 'ns');
	update node set clock_residual_ns = 5e6"
"$tacho" report -s "$work/unsure" | tr -s ' \n' '  ' >"$work/text"
grep -q 'is uncertain by 11 %: transfer efficiency is 0.71 to 0.81, serialisation efficiency 0.50 to 0.56 (10 % for calls without a rule or a partner, which keep their duration, 1 % for the clocks' "$work/text"
check $? "what the replay does not know makes an interval of transfer and serialisation"
