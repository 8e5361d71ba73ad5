#!/bin/sh
# tacho compare: worked cases by hand, whose figures stand next to them, and runs of tests/report. What it says, what it
# fails on, and that nothing passes or fails by noise or by figures that are not there.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 58
cd "$work" || exit 1
export COLUMNS=200

# hand NAME RANKS STEPS SPENT [SQL]: a run whose steps take so many ns each (a JSON list, the first one warms up), one after
# the other, in a phase train of all ranks, of 32 samples; SPENT is a JSON object of ns of each rank by state over that phase.
hand() {
	mkdir -p "$1" && rm -f "$1/tacho.db" && {
		cat "$top_builddir/analyzer/db/schema.sql"
		cat <<S
create temp table t as select key as n, value as ns, sum(value) over (order by key) - value as start from json_each('$3');
create temp table r as with recursive c(i) as (select 0 union all select i + 1 from c where i + 1 < $2) select i from c;
insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
	select 1, '$1', '$1', 'mpirun -n $2 ./train', 0, sum(ns) * 2, $2, $2, 1000, 0, 0, '0', 0 from t;
insert into node (id, run_id, hostname, clock_residual_ns) values (1, 1, 'n1', 0);
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select i + 1, 1, 1, i, 1, null, 'rank ' || i, null, 'finished', 0, (select sum(ns) from t) from r;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select i + 1, 1, i + 1, 'train', 0, 0, (select sum(ns) from t), 0 from r;
insert into step(run_id, process_id, n, phase_id, start_ns, end_ns, samples, confidence, cut, stands_for)
	select 1, i + 1, n, i + 1, start, start + ns, 32 / $2, 1, 0, 1 from r, t;
insert into host_time (run_id, process_id, window, state, ns) select 1, i + 1, 'phase:train', key, value from r, json_each('$4');
insert into host_time (run_id, process_id, window, state, ns) select 1, i + 1, 'run', key, value from r, json_each('$4');
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'phase:train', 'mpi', 'parallel_efficiency', '', sum(value) filter (where key <> 'mpi') * 1.0 / sum(value), '1', null
	from json_each('$4');
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'critical_path', 'length', '', sum(ns), 'ns', null from t;
$5
S
	} | sqlite3 -bail "$1/tacho.db"
}

# compare STATUS ARGUMENT…: its output is in the files said and complained
compare() {
	wanted=$1
	shift
	"$tacho" compare "$@" >said 2>complained
	status=$?
	[ $status -eq "$wanted" ] || { echo "# status $status of tacho compare $*"; sed 's/^/# /' said complained; return 1; }
}
says() { grep -qF -- "$1" said || { echo "# not said: $1"; sed 's/^/# /' said; return 1; }; }
last() { [ "$(tail -n 1 said)" = "$1" ] || { echo "# last line: $(tail -n 1 said)"; return 1; }; }
complains() { [ "$(wc -l <complained)" -eq 1 ] && grep -qF -- "$1" complained || { sed 's/^/# /' complained; return 1; }; }

# Six steps: the first warms up, the others are a block each. base: 10 ms. slow: 11 ms, of which mpi +0.8 and io +0.2.
hand base 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":60000000,"mpi":20000000}'
hand slow 2 '[30000000,11000000,11000000,11000000,11000000,11000000]' '{"useful":60000000,"mpi":23800000,"io":1200000}'
compare 0 base base --gate && says 'base (2) is as fast as base, 0 % ± 0 %: a step takes 10.0 instead of 10.0 ms' && last 'gate: passed' &&
	says 'size, batch, command and environment are the same'
check $? "a run next to itself is as fast, and passes"
for port in 29500 31007; do
	hand port$port 2 '[30000000,10000000,10000000]' '{"useful":60000000}' "insert into environment (run_id, scope, key, value)
		values (1, 'rank:0', 'var.MASTER_PORT', '$port');"
done
compare 0 port29500 port31007 && says 'size, batch, command and environment are the same'
check $? "another port of the launcher's is no difference"
compare 3 base slow --gate && says 'slow is 10 % ± 0 % slower than base: a step takes 11.0 instead of 10.0 ms' &&
	last 'gate: failed: a step takes 10.0 % (+10.0 % to +10.0 %) longer, the threshold is 5 %'
check $? "a slower run fails the gate, with status 3"
compare 0 slow base --gate && says 'base is 9.1 % ± 0 % faster than slow' && compare 0 base slow && compare 0 base slow --gate --threshold 10.1
check $? "a faster one passes, and so does a slower one within the threshold, or without a gate"
# Of 85 and 80 ms in six steps: 0.83 ms a step more, mpi 3.8 and io 1.2 of 5.
compare 0 base slow && says 'all of train takes 833 µs more per step: mpi +633, io +200 (mean over the ranks)'
check $? "the states that a step's time went to are named, largest first"
# The same within a budget, a tenth of it in detail: its states are those of that tenth, extended to all of the time.
hand bounded 2 '[30000000,11000000,11000000,11000000,11000000,11000000]' \
	'{"useful":6000000,"mpi":2380000,"io":120000,"not_in_detail":76500000}' "
update metric set flag = 'of the time that is in detail' where model = 'mpi';
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'quality', 'not_in_detail', 'rank:' || rank, r.duration_ns * 0.9, 'ns', null from process, run r;"
compare 0 base bounded && says 'all of train takes 833 µs more per step: mpi +633, io +200 (mean over the ranks)' && ! grep -q not_in_detail said &&
	says 'bounded: 10 % of it is in detail' && grep -q 'MPI parallel efficiency, train  .* –$' said && compare 0 bounded base &&
	says 'all of train takes 833 µs less per step: mpi −633, io −200 (mean over the ranks)'
check $? "states of a bounded run are on one base with those of a whole one, its efficiencies are not judged"

# Equal steps, but a phase test of 40 ms besides: of 160 and 200 ms, 80 ms are the steps of both.
hand tests 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":60000000,"mpi":20000000}' "
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + 10, 1, process_id, 'test', 0, end_ns, end_ns + 40000000, 0 from phase; update run set duration_ns = duration_ns + 40000000;"
compare 0 base tests --gate && says 'tests is as fast as base' &&
	says 'note    outside of train the run takes 0.04 s more, 0.12 instead of 0.08 s, most of it in test (+0.04 s)' &&
	compare 0 tests base && says 'takes 0.04 s less, 0.08 instead of 0.12 s, most of it in test (-0.04 s)' && compare 0 base slow && ! grep -q 'outside of' said
check $? "what the steps do not have is said where the rest of the run changed"

# Logarithms ±0.1 around 10 ms, of which the mean of five varies by 0.0447, t of 4 degrees 2.776: -11.7 % to +13.2 %.
hand noisy 2 '[30000000,11051709,9048374,11051709,9048374,10000000]' '{"useful":60000000,"mpi":20000000}'
compare 1 base noisy --gate && says 'not decided whether noisy is slower than base' && says '0 % (−12 % to +13 %)' && last 'gate: not decided' &&
	complains 'the noise is larger than the threshold of 5 %: a step takes -0.0 % (-11.7 % to +13.2 %)'
check $? "noise larger than the threshold is no verdict, and status 1"
compare 0 base noisy --gate --threshold 12.5 && last 'gate: passed'
check $? "and is none of a larger threshold"
# 0.06 ± 0.02: +6.2 %, of which the mean varies by 0.00894: +3.6 % to +8.9 %. Above 5 %, but not for certain.
hand unsure 2 '[30000000,10832871,10408108,10832871,10408108,10618365]' '{"useful":60000000,"mpi":20000000}'
compare 0 base unsure --gate && says '6.2 % ± 2.6 % slower' && last 'gate: passed' && compare 3 base unsure --gate --threshold 2 && compare 1 base unsure --gate --threshold 3.5 && complains 'two runs as short as these differ by up to 4.0 % themselves'
check $? "what may be noise fails no gate, what is beyond it does"

# Every fifth step takes twice as long: the medians are those of base, the means 20 % more.
hand even 2 "$(python3 -c 'print([30000000] + [10000000] * 43)')" '{"useful":60000000}'
hand stalls 2 "$(python3 -c 'print([30000000] + [10000000] * 3 + [10000000, 10000000, 20000000, 10000000, 10000000] * 8)')" '{"useful":60000000}'
compare 3 even stalls --gate && says 'stalls is as fast as even, 0 % ± 0 %' && says 'the mean time of a step changed otherwise than the median (+20 % and +0 %)' &&
	last 'gate: failed: some steps are long: their mean time is 20.0 % (+20.0 % to +20.0 %) longer, the threshold is 5 %' &&
	compare 0 stalls even --gate && compare 0 even stalls --gate --threshold 21
check $? "a fifth of the steps being twice as long fails the gate, though the median does not see it"
# Four of five steps take 12 % longer, in 0.5 s, which a moment of the machine may do, and in 45 s, which it does not.
hand moment 2 "$(python3 -c 'print([30000000] + [10000000] * 3 + [11200000, 11200000, 11200000, 11200000, 10000000] * 8)')" '{"useful":60000000}'
hand even_long 2 "$(python3 -c 'print([3000000000] + [1000000000] * 43)')" '{"useful":60000000}'
hand lasting 2 "$(python3 -c 'print([3000000000] + [1000000000] * 3 + [1120000000, 1120000000, 1120000000, 1120000000, 1000000000] * 8)')" '{"useful":60000000}'
compare 1 even moment --gate && complains 'a step takes +12.0 % (+0.0 % to +12.0 %)' && compare 3 even_long lasting --gate && says '+12.0 % to +12.0 %'
check $? "of a run of seconds the shortest steps say, too, whether it is slower; of a longer one all of them"
# One step of a second among 10 ms: no mean of eight blocks is known by it.
hand hiccup 2 "$(python3 -c 'print([30000000] + [10000000] * 30 + [1000000000] + [10000000] * 12)')" '{"useful":60000000}'
compare 0 even hiccup --gate && says 'few long ones outweigh the others' && last 'gate: passed'
check $? "a single long step is reported, and fails no gate"

# The phase of base spends 20 of 80 ms in mpi, that of slow 23.8 of 85: 0.75 and 0.72, 4.0 % less. The path: 80 and 85 ms.
compare 0 base slow --gate-on mpi.parallel_efficiency@phase:train && last 'gate: passed' &&
	compare 3 base slow --gate-on mpi.parallel_efficiency@phase:train:2 && says 'mpi.parallel_efficiency in phase:train falls by 4.0 %' &&
	compare 0 base slow --gate-on mpi.parallel_efficiency@phase:train:+2 && compare 0 slow base --gate-on mpi.parallel_efficiency@phase:train:0
check $? "--gate-on fails when an efficiency falls by more than it may, and else not"
compare 3 base slow --gate-on critical_path.length:5 && says 'critical_path.length in run rises by 6.2 %' &&
	compare 0 slow base --gate-on critical_path.length:5
check $? "a time fails when it rises"
hand more 2 '[30000000,11000000]' '{"useful":60000000,"mpi":20000000}' "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'useful_instructions', '', 110, 'count', null);"
hand less 2 '[30000000,11000000]' '{"useful":60000000,"mpi":20000000}' "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'useful_instructions', '', 100, 'count', null);"
compare 3 less more --gate-on host.useful_instructions && says 'host.useful_instructions in run rises by 10.0 %' && compare 0 more less --gate-on host.useful_instructions
check $? "more instructions are worse, fewer are not"
hand early 2 '[30000000,10000000,10000000,10000000]' '{"useful":60000000,"mpi":20000000}' 'update run set exit_status = 1;'
compare 1 base early --gate-on critical_path.length && complains 'a run failed or was truncated, and critical_path.length in run' && compare 1 early base --gate-on mpi.parallel_efficiency@run &&
	compare 0 base early --gate-on mpi.parallel_efficiency@phase:train
check $? "times and whole runs of one that failed decide nothing, efficiencies of its phases do"
compare 1 base slow --gate-on mpi.load_balance && complains 'base has no figure mpi.load_balance in run' && last 'gate: not decided' &&
	compare 3 base slow --gate --gate-on mpi.load_balance && last 'gate: failed: a step takes 10.0 % (+10.0 % to +10.0 %) longer, the threshold is 5 %'
check $? "a figure that is missing is no pass: status 1"

# disturbed NAME STEP SHARE [SQL]: as base, with steps of so many ns in which rank 1 had no core for that share of its time
disturbed() {
	hand "$1" 2 "[30000000,$2,$2,$2,$2,$2]" '{"useful":60000000,"mpi":20000000}' "insert into metric (run_id, window, model, name, subject, value, unit, flag)
		values
		(1, 'phase:train', 'counters', 'core_waited', 'rank:0', 0, 'ns', null), (1, 'phase:train', 'counters', 'core_waited', 'rank:1', 80000000 * $3, 'ns', null); $4"
}
# 11.7 instead of 10 ms, and 19 instead of 7.6 % of the time without a core: (1 - 0.076) / (1 - 0.19) is 1.141, and without
# that a step takes 2.6 % longer.
disturbed calm 10000000 0.076
disturbed crowded 11700000 0.19
compare 1 calm crowded --gate && says 'not decided whether crowded is slower than calm' && last 'gate: not decided' &&
	complains 'a rank had no core (run-queue wait) for 7.6 % of its time in one run and 19.0 % in the other: without that a step would take +2.6 % (-10.1 % where it lost twice of that) and not +17.0 % longer' &&
	compare 0 calm crowded && compare 1 crowded calm --gate
check $? "identical runs of which one had fewer cores are not decided"
# 9 instead of 10 ms, of which the base lost 19 %: without, 9 × 0.98 / (10 × 0.81) is 8.9 % slower
disturbed was_crowded 10000000 0.19
disturbed is_calm 9000000 0.02
compare 1 was_crowded is_calm --gate && says 'not decided' && complains 'without that a step would take +8.9 %'
check $? "a slower run is not passed as a faster one because the base had fewer cores"
disturbed same 13400000 0.079
disturbed much 30000000 0.1
compare 3 calm same --gate && last 'gate: failed: a step takes 34.0 % (+34.0 % to +34.0 %) longer, the threshold is 5 %' && compare 3 calm much --gate && compare 0 same calm --gate
disturbed lost 30000000 0.29
disturbed lost_too 30000000 0.2901
compare 1 calm lost --gate && complains 'for 7.6 % of its time in one run and 29.0 % in the other, which is too much to decide' && compare 0 lost lost --gate && compare 1 lost lost_too --gate
check $? "where a rank had no core for a fifth of its time nothing is decided"
compare 3 calm same --gate && compare 3 calm much --gate && compare 0 same calm --gate
check $? "runs that were disturbed alike, or by less than they differ, are decided"
# many NAME SHORT LONG [BYTES [STEPS]]: three thousand steps in which rank 1 had no core for half of its time, and both ranks have so many us
# to do themselves in one of ten and in the others, and wait for a millisecond
many() {
	hand "$1" 2 "$(python3 -c "print([1000 * ($2 if n % 10 == 0 else $3) + 1000000 for n in range(${5:-3000})])")" '{"useful":300000000,"mpi":500000000}' "
		update step set waited_ns = 1000000; insert into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'phase:train', 'counters', 'core_waited', 'rank:0', 400000000 - $2, 'ns', null),
		(1, 'phase:train', 'counters', 'core_waited', 'rank:1', 400000000 - $2, 'ns', null);
		insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Allreduce', 'mpi', 100, 1, 1, 1, null, null, ${4:-6000}, 6000 from process;"
}
# own time of the shortest: 3 ms of steps of 4, and 4.5: 50 % more, and 38 % of such a step
many loaded 3000 7000
many more_work 4500 9000
compare 3 loaded more_work --gate && says 'more_work is slower than loaded' &&
	last 'gate: failed: in the shortest steps, in which ranks had their cores, the slowest takes 50.0 % longer itself (4.5 instead of 3 ms), 37.5 % of a step, the threshold is 5 %'
check $? "next to load a run that has more to do is decided by its shortest steps"
many loaded_short 3000 7000 6000 100
many more_short 4500 9000 6000 100
compare 1 loaded_short more_short --gate
check $? "but not in 0.8 s, all of which a core may have been slower for"
# 3.6 of 3 ms may be caches and clocks: 20 %, and 1.05 x 1.155 is 21 %
many little_more 3600 9000
compare 1 loaded little_more --gate && compare 1 more_work loaded --gate
check $? "by less than such steps of equal runs differ, and faster ones are not"
# all steps are as long, and half of them was waiting for a core; more bytes
many steady 9000 9000
many other_bytes 4500 9000 12000
compare 1 loaded steady --gate && compare 1 loaded other_bytes --gate
check $? "nor are steps that may all have been interrupted, or of a run that sends more"
disturbed stolen 11000000 0.076 "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'phase:train', 'counters', 'stolen', 'node:n1', 0.1, '1', null);"
disturbed clock 10000000 0.076 "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'phase:train', 'counters', 'gpu_clock', 'node:n1', 0.9, '1', null);"
disturbed throttled 15000000 0.076 "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'phase:train', 'counters', 'gpu_clock', 'node:n1', 0.6, '1', null);"
compare 1 calm stolen --gate && complains 'the hypervisor took 0.0 % of the CPU time in one run and 10.0 % in the other' && compare 1 clock throttled --gate &&
	complains 'GPUs ran at 90 % of their clock in one run and 60 % in the other'
check $? "nor is what a hypervisor or a lowered clock took"
disturbed low 10000000 0.19 "update metric set value = 0.6 where name = 'parallel_efficiency';"
disturbed fewer 10000000 0.076 "update metric set value = 0.6 where name = 'parallel_efficiency';"
compare 1 calm low --gate-on mpi.parallel_efficiency@phase:train && complains 'changes by -20.0 %' && compare 3 calm fewer --gate-on mpi.parallel_efficiency@phase:train
check $? "nor are efficiencies that fall by less than cores were lost"

# Thrice as long a step, and the base lost 30 % of its time, the new run 21 %: contention of the base makes no new run slower.
disturbed lost_base 10000000 0.3
disturbed calmer 30000000 0.21
compare 3 lost_base calmer --gate && says 'calmer is 200 % ± 0 % slower than lost_base' && last 'gate: failed: a step takes 200.0 % (+200.0 % to +200.0 %) longer, the threshold is 5 %' &&
	compare 0 calmer lost_base --gate && says 'lost_base is 67 % ± 0 % faster than calmer'
check $? "a run that is much slower with less contention is decided, and so is one that is much faster with more"
disturbed near 12000000 0.21
disturbed worse 30000000 0.45
compare 1 lost_base near --gate && compare 1 lost_base worse --gate && complains 'which is too much to decide'
check $? "not where both lost so much that it may be a moment, nor where the slower run lost more"
# reads NAME STEP LOST NS [CLASS]: rank 0 of a disturbed run is in read for so long in each step
reads() {
	disturbed "$1" "$2" "$3" "insert into host_time (run_id, process_id, window, state, ns)
		select 1, 1, w.value, 'io', 8 * $4 from json_each('[\"phase:train\", \"run\"]') w;
		insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) values (1, 1, 'read', '${5:-io}', 6, 6 * $4, 1, 1, null, null, 0, 0);"
}
reads quick 10000000 0.3 317
reads slow_read 30000000 0.45 18000000
reads slow_wait 30000000 0.45 18000000 wait
reads little_read 30000000 0.45 8000000
compare 3 quick slow_read --gate && last 'gate: failed: a step takes 200.0 % (+200.0 % to +200.0 %) longer, the threshold is 5 %' && says read &&
	compare 1 quick slow_wait --gate && compare 1 quick little_read --gate
check $? "a change that a call explains is decided, a wait and less than half of it are not"

hand four 4 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":60000000,"mpi":20000000}'
compare 1 base four --gate && [ "$(head -n 1 said)" = '! these runs have 2 and 4 ranks: for a study over sizes see tacho scaling' ] &&
	complains 'the runs have 2 and 4 ranks' && says 'ranks: 2 → 4'
check $? "different numbers of ranks come first, and decide no gate"
# 20 ms and 64 samples of two ranks each: as fast by sample, 10 ms ÷ 32.
hand batch 2 '[40000000,20000000,20000000,20000000,20000000,20000000]' '{"useful":60000000,"mpi":20000000}' 'update step set samples = 32;'
compare 0 base batch --gate && says '! steps have 32 and 64 samples: times are those of a sample' &&
	says 'batch is as fast as base, 0 % ± 0 %: a sample takes 312 instead of 312 µs' && says 'samples per step: 32 → 64'
check $? "with different batches times are those of a sample"
# Runs are twice as long as their steps: 160 and 170 ms.
for run in stepless:10000000 whole:11000000; do
	hand ${run%:*} 2 "[30000000,${run#*:},${run#*:},${run#*:},${run#*:},${run#*:}]" '{"useful":1}' 'delete from step;'
done
compare 3 stepless whole --gate && says 'whole is 6.2 % slower than stepless: the run takes 170 instead of 160 ms (one value each, no interval)' &&
	says 'note    whole has no steps' && compare 0 whole stepless --gate
check $? "without steps the run time decides, and it is said that it is one value each"
compare 1 whole base --gate && complains 'only one of the runs has steps' && compare 1 base whole --gate && last 'gate: not decided'
check $? "a run without steps next to one with steps decides no gate"
hand test 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":1}' "update phase set name = 'test';"
hand found 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":1}' 'update step set confidence = 0.9;'
hand single 2 '[10000000]' '{"useful":1}'
compare 1 test base --gate && complains 'different phases' && compare 1 found base --gate && complains 'marks its steps' && compare 0 found found --gate &&
	compare 1 single base --gate && complains 'a run has only one step' && says ' 1 step of 32 samples in train'
check $? "steps of other phases, those not marked next to marked ones, and a single one decide no gate"
# Steps that were found are the period of the collectives: 100 kB of 200 sums of one size, one each, or all fused in one; 40 kB in fp16.
hand fused 2 '[3000000,1000000,1000000,1000000,1000000,1000000]' '{"useful":60000000}' "update step set confidence = 0.9;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Allreduce', 'mpi', 6, 1, 1, 1, null, null, 600000, 600000 from process;"
hand layers 2 '[100000,20000,20000,20000,20000,20000]' '{"useful":60000000}' "update step set confidence = 0.9;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Allreduce', 'mpi', 6, 1, 1, 1, null, null, 6000, 6000 from process; update run set duration_ns = 17000000;"
hand halves 2 '[3000000,1000000,1000000,1000000,1000000,1000000]' '{"useful":60000000}' "update step set confidence = 0.9;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Allreduce', 'mpi', 6, 1, 1, 1, null, null, 240000, 240000 from process;"
hand marking 2 '[3000000,1000000,1000000,1000000,1000000,1000000]' '{"useful":60000000}' "
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Allreduce', 'mpi', 6, 1, 1, 1, null, null, 600000, 600000 from process;"
compare 0 layers fused --gate && says 'fused is 5.9 % faster than layers: the run takes 16.0 instead of 17.0 ms (one value each, no interval)' &&
	says 'which differs between these runs: 2 and 200 kB are sent in a step' && ! grep -qE 'has no steps|marks no steps|time of a step' said &&
	compare 0 fused halves --gate && says 'a step takes 1000 instead of 1000 µs' &&
	compare 1 layers marking --gate && says 'the run takes' && complains 'only one of the runs marks its steps'
check $? "steps that were found are not compared where they are other parts of the program"
calls_of() {
	echo "update step set confidence = 0.9; insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'torch:$1', 'user', $2, 1, 1, 1 from process;"
}
hand passes 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":1}' "$(calls_of backward 6)"
hand optimizers 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":1}' "$(calls_of backward 24) $(calls_of optimizer 6)"
compare 0 passes passes --gate && says "passes marks no steps: those compared are derived from PyTorch's backward passes" &&
	compare 0 optimizers passes --gate && says "derived from PyTorch's optimizers and from PyTorch's backward passes. The runs are compared as a whole"
check $? "nor where they were found by other means"
hand killed 2 '[30000000]' '{"useful":1}' "delete from step; update run set cut = 1; insert into not_recorded (run_id, subject, reason, count, message) values (1, 'rank:1', 'disk_full', 12, null);"
compare 1 stepless killed --gate && says 'killed was truncated' && says 'killed lost 12 events' && complains 'a run failed or was truncated' &&
	hand failed 2 '[1000000]' '{"useful":1}' 'delete from step; update run set exit_status = 3;' && compare 1 stepless failed --gate && says 'ended with status 3'
check $? "a run that failed or was truncated is reported, and its time decides nothing"
# A step of 9.8 ms in all seven, the last of it followed by nothing: 10 ms from begin to begin, as between steps is time, too.
hand gaps 2 '[30000000,10000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":60000000}' 'update step set end_ns = end_ns - 200000;'
compare 0 base gaps --format json && python3 -c '
import json
change = json.load(open("said"))["change"]
assert abs(change["new_ns"] - 1e7 * (9.8 / 10) ** (1 / 5)) < 1, change'
check $? "what lies between two steps is time of a step"

# Of 160 ms each train has 80 and validate 20 or 10, with a phase of 5 ms inside of it; the rest is in none.
hand validates 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":80000000}' "
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + 2, 1, id, 'validate', 0, 90000000, 110000000, 0 from process; insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + 4, 1, id, 'load', 0, 90000000, 95000000, 0 from process;"
hand shares 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":80000000}' "
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + 2, 1, id, 'validate', 0, 90000000, 100000000, 0 from process; insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + 4, 1, id, 'load', 0, 90000000, 95000000, 0 from process;"
compare 0 validates shares && grep -qE '^ +20.0 ms +10.0 ms +−10.0 ms +validate$' said && grep -qE '^ +60.0 ms +70.0 ms +\+10.0 ms +in no phase$' said &&
	! sed -n '/^parts/,/^$/p' said | grep -qE 'train|load' && compare 0 base slow && ! grep -q validate said
check $? "phases that changed by more than 1 % of the run are listed, and what lies in none"
# Without phases: rank 1 comes 50 ms late to its first step, and 30 instead of 80 ms are left after the last one.
hand bare 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":80000000}' 'delete from phase;'
hand late 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":80000000}' 'delete from phase;
	update step set start_ns = start_ns + 50000000, end_ns = end_ns + 50000000 where process_id = 2;'
compare 0 bare late && grep -qE '^ +0 ns +50.0 ms +\+50.0 ms +before the first step$' said && grep -qE '^ +80.0 ms +30.0 ms +−50.0 ms +after the last step$' said
check $? "without phases it is said what came before the first step, and after the last"
hand calls 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":80000000}' "
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Send', 'mpi', 12, 1200000, 1, 1, null, null, null, null from process;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'pread', 'io', 6, 6000, 1, 1, null, null, null, null from process;
insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence) values (1, 'slow_storage', 1, 3, 'storage gave 5 MB/s', null, '', 'pack the files', null),
	(1, 'sleep', 2, 1.2, 'all sleep 9 %', null, '', null, null);"
hand moved 2 '[30000000,10000000,10000000,10000000,10000000,10000000]' '{"useful":80000000}' "
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'MPI_Sendrecv', 'mpi', 6, 3000000, 1, 1, null, null, null, null from process;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'pread', 'io', 6, 60000, 1, 1, null, null, null, null from process;
insert into finding (run_id, rule, n, seconds, message, evidence, is_bound) values (1, 'slow_storage', 1, 2, 'storage gave 7 MB/s', '', 0), (1, 'step_compute', 2, 1, 'rank 1 is slow', '', 1),
	(1, 'sleep', 3, 1.0, 'all sleep 8 %', '', 0);"
# Per rank and step MPI_Send took 200 µs in 2 calls, MPI_Sendrecv takes 500; pread's 9 µs more are less than 1 % of 13.3 ms.
compare 0 calls moved && grep -qE '^  gone +200 µs +– +−200 µs +2.00 +– +MPI_Send$' said &&
	grep -qE '^  new +– +500 µs +\+500 µs +– +1.00 +MPI_Sendrecv$' said && ! grep -q pread said
check $? "calls that came, went or changed by more than 1 % of a step are listed"
says 'came     ≤1.0  step_compute: rank 1 is slow' && says 'now       2.0  slow_storage (was 3.0): storage gave 7 MB/s' && ! grep -q sleep said &&
	compare 0 moved base && says 'went      2.0  slow_storage'
check $? "findings that came, went or cost other seconds are listed, those that cost about the same are not"

for run in left right; do make_run $run 4 200 2 train gpu || exit 1; done
sqlite3 right/tacho.db "update run set label = 'right', command = replace(command, 'epochs 2', 'epochs 2 --precision fp16');
	update device_time set ns = ns * 1.25 where state = 'compute'; update host_time set ns = ns * 1.1 + process_id * 77777 where state = 'mpi';
	update environment set value = 'Open MPI 5.0.1' where key like '%mpi_library'"
compare 0 left right --format json && python3 - <<'P'
import json
said = json.load(open("said"))
for part in "host", "device":
    rows = [r for r in said["time"] if r["part"] == part]
    assert rows and rows[-1]["state"] == "all", rows
    for key in "base_ns", "new_ns", "difference_ns":
        assert abs(sum(r[key] for r in rows[:-1]) - rows[-1][key]) < 1e-3, (key, rows)
    for side in "base", "new":
        assert part == "device" or abs(rows[-1][side + "_ns"] * said[side]["units"] - said[side]["window_ns"]) < 1, rows
differing = {d["what"]: d for d in said["differences"]}
assert differing["process.mpi_library"]["new"] == "Open MPI 5.0.1" and differing["command"]["new"].endswith("fp16"), differing
P
check $? "states add up to the time of a step, and their differences to the difference"
compare 0 left right && cp said table && compare 0 left right --format json && python3 - <<'P'
import json
said, table = json.load(open("said")), open("table", encoding="utf-8").read().split("\n")
for figure in said["figures"]:
    row = [line for line in table if line.strip().startswith(figure["figure"] + "  ")]
    assert len(row) == 1, (figure, row)
    shown = row[0].strip()[len(figure["figure"]):].split("  ")
    shown = [cell.strip() for cell in shown if cell.strip()]
    value = figure["new"] if figure["unit"] in ("efficiency", "number") else None
    assert value is None or abs(float(shown[1].replace(",", "")) - value) <= 0.006 * max(1, abs(value)), (figure, shown)
assert {"samples/s", "run time", "GPUs: idle", "storage read"} <= {f["figure"] for f in said["figures"]}, said["figures"]
assert any("GPU parallel efficiency" == f["figure"] and f["key"] == "device.device_parallel_efficiency" for f in said["figures"])
P
check $? "JSON has the figures of the tables"

compare 1 base nowhere && complains 'nowhere does not exist' && head -c 20000 left/tacho.db >broken.db && compare 1 base broken.db &&
	complains broken.db && echo text >text.db && compare 1 text.db base --gate && complains text.db && [ ! -s said ]
check $? "a database that is missing or damaged is one sentence and status 1"
cp base/tacho.db several.db && sqlite3 several.db "insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
	select 2, 'second', 'p', command, start_ns, 5, nranks,
	nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns from run" && "$tacho" compare base several.db >said 2>complained &&
	grep -q 'several.db holds 2 runs: this is about second, the last one' complained && says 'second is 100 % faster than base'
check $? "of a database with several runs it is said which one"
compare 2 base && compare 2 base slow four && compare 2 base slow --threshold=-1 && compare 2 base slow --threshold x &&
	compare 2 base slow --gate-on nonsense && compare 2 base slow --format csv && compare 2 base slow --wrong && complains wrong &&
	compare 0 --help && says '--gate-on'
check $? "wrong options are one sentence and status 2"

# The page: steps of 10 and 11 ms of which the first is left out, so that all are in two of 40 classes, and no interval is wide.
compare 3 base slow --gate -o page.html && says 'gate: failed' && python3 "$samples/html_check.py" page.html &&
	python3 "$samples/html_check.py" --text page.html >text &&
	grep -qxF 'slow is 10 % ± 0 % slower than base: a step takes 11.0 instead of 10.0 ms' text &&
	grep -qxF 'all of train takes 833 µs more per step: mpi +633, io +200 (mean over the ranks)' text &&
	grep -qxF 'MPI | rank | 3.33 ms | 3.97 ms | 633 µs | 4.7 %' text
check $? "-o writes a page with what is said, and the gate stays"
[ "$(tr -d '\r' <page/compare_page_steps.csv | grep -c '^base,.*,100')" -eq 1 ] && [ "$(tr -d '\r' <page/compare_page_steps.csv | grep -c '^slow,.*,100')" -eq 1 ]
check $? "step times of both lie over each other"
for run in left right; do
	sqlite3 $run/tacho.db "insert into metric (run_id, window, model, name, subject, value, unit, flag)
		values (1, 'run', 'host', 'mfu', '', $([ $run = left ] && echo 0.4 || echo 0.36), '1', null)"
done
compare 0 left right -o pair.html && python3 "$samples/html_check.py" --text pair.html | grep -qxF 'MFU | 40.0 % | 36.0 % | -4.0 points | worse' && python3 "$samples/html_check.py" pair.html && [ "$(python3 "$samples/html_check.py" --data pair.html | grep -o '",{"ns":' | wc -l)" -eq 2 ]
check $? "and a typical step of each is in it, and MFU where it is known"
compare 1 base slow -o no/such/page.html && complains 'no/such/page'
check $? "a page that cannot be written is said, with status 1"

make_run hostile 4 200 2 train hostile || exit 1
sqlite3 hostile/tacho.db "insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, 1, char(27) || '[31m' || char(10) || name || '\"\\', 'io', 1, 9990000000000, 1, 2,
	null, null, null, null from call where process_id = 1"
cp hostile/tacho.db before.db
COLUMNS=60 compare 0 left hostile && ! LC_ALL=C grep -q '[[:cntrl:]]' said && [ ! -s complained ] && compare 0 hostile left --format json &&
	python3 -c 'import json; json.load(open("said"))' && cmp -s hostile/tacho.db before.db && [ -z "$(find "$work" -name pwned)" ]
check $? "hostile names are shown on one line, JSON stays JSON, databases stay as they are"
compare 3 base slow --gate --format markdown && head -n 1 said | grep -q '^### slow is 10 % ± 0 % slower than base: ' && grep -q '^\*\*gate: failed: a step takes 10.0 % ' said &&
	grep -q '^| time of a step, median | 10.0 ms | 11.0 ms | +10 % | worse |$' said && compare 0 left hostile --format markdown && ! LC_ALL=C grep -q '[[:cntrl:]]' said && ! grep -q '<script' said
check $? "Markdown has the verdict, the gate and the figures, and names mean nothing in it"
junit() { python3 -c 'import sys, xml.etree.ElementTree as t
suite = t.parse("said").getroot(); case, = suite; print(suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped"), case.get("name"), case[0].tag)'; }
compare 3 base slow --gate --format junit && [ "$(junit)" = "1 1 0 0 slow against base failure" ] && compare 1 base noisy --gate --format junit && [ "$(junit)" = "1 0 1 0 noisy against base error" ] &&
	compare 0 base base --gate --format junit && [ "$(junit)" = "1 0 0 0 base (2) against base system-out" ] && compare 0 base slow --format junit && [ "$(junit)" = "1 0 0 1 slow against base skipped" ] &&
	compare 0 left hostile --format junit && junit >/dev/null
check $? "JUnit's XML has the gate as a test case"
COLUMNS=50 compare 0 calls moved && [ "$(sed -n '/^calls/,/^$/p' said | LC_ALL=C.UTF-8 awk 'NR > 1 && length > 75' | wc -l)" -eq 0 ]
check $? "tables fit a narrow terminal"
printf 'a\nb\n' >bare.db && compare 1 bare.db bare.db && [ ! -s said ]
check $? "what is no database is refused"
