#!/bin/sh
# Studies over sizes: POP's scalabilities against the worked case v21, where time was lost, laws, what cannot be compared.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 31
html() { python3 "$samples/html_check.py" "$@"; }
cd "$work" || exit 1

# value TABLE EXPRESSION FILE: of the rows of a table in the json of tacho scaling
value() { python3 -c "import json, sys; rows = json.load(open('$3'))['$1']; print(eval('$2'))"; }

# of DATABASE RUN NAME: a figure of model scaling
of() { sqlite3 "$1" "select value from metric where model = 'scaling' and \"window\" = 'run' and run_id = $2 and name = '$3'"; }

# same VALUE...: pairs are equal to 1e-9
same() { python3 -c "import sys; v = [float(x) for x in sys.argv[1:]]; sys.exit(any(abs(a - b) > 1e-9 * max(1, abs(b)) for a, b in zip(v[::2], v[1::2])))" "$@"; }

for name in reference strong weak; do
	mkdir "v21-$name" && "$top_builddir/tests/unit/golden" "$tacho" "v21-$name" write "$top_srcdir/tests/golden/cases/v21_scaling_$name.case" &&
		"$tacho" analyze --label "$name" "v21-$name/traces.otf2" >&2 || exit 1
done
"$tacho" scaling --strong --format json --db strong.db v21-reference/traces.db v21-strong/traces.db >strong.json &&
	same "$(of strong.db 2 computation_scalability)" 1.125 "$(of strong.db 2 ipc_scalability)" 1.25 "$(of strong.db 2 frequency_scalability)" 0.95 \
		"$(of strong.db 2 instruction_scalability)" 0.94736842105263 "$(of strong.db 2 global_efficiency)" 0.9 "$(of strong.db 2 speedup)" 2 \
		"$(of strong.db 1 computation_scalability)" 1
check $? "v21, strong: scalabilities above 1 stay, their product is computation scalability"
"$tacho" scaling --weak --format json --db weak.db v21-weak/traces.db v21-reference/traces.db >weak.json &&
	same "$(of weak.db 1 computation_scalability)" 0.9 "$(of weak.db 1 ipc_scalability)" 1 "$(of weak.db 1 frequency_scalability)" 1 \
		"$(of weak.db 1 instruction_scalability)" 0.9 "$(of weak.db 1 global_efficiency)" 0.72 "$(of weak.db 1 speedup)" 1.6
check $? "v21, weak: work grows with the ranks; the smallest run is the reference wherever it stands"
"$tacho" scaling --format json v21-reference/traces.db v21-weak/traces.db >assumed.json && grep -q 'the same work is assumed' assumed.json &&
	same "$(value runs 'rows[1]["computation"]' assumed.json)" 0.45
check $? "without samples the same work is assumed, and reported"

# database NAME RANKS NS USEFUL [SAMPLES]: a run of so long; useful is of each rank, the rest is MPI
database() {
	mkdir -p "$1" && {
		cat "$top_builddir/analyzer/db/schema.sql"
		echo "insert into run(id, label, path, duration_ns, nranks, nlocations, nevents, tacho_version, analyzed_ns)
			values (1, '$1', 'x', $3, $2, $2, 1, 'x', 0);
		insert into node(id, run_id, hostname) values (1, 1, 'n1');
		with recursive r(i) as (select 0 union all select i + 1 from r where i + 1 < $2)
		insert into process(run_id, node_id, rank, name, start_ns, end_ns) select 1, 1, i, 'rank ' || i, 0, $3 from r;
		insert into host_time (run_id, process_id, window, state, ns)
			select 1, id, 'run', 'useful', $4 from process union all select 1, id, 'run', 'mpi', $3 - $4 from process where $3 > $4;
		insert into call(run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'MPI_Allreduce', 'mpi', 1, 1, 1, 1 from process;
		insert into phase(run_id, process_id, name, instance, start_ns, end_ns) select 1, id, 'train', 0, 0, $3 from process;
		insert into step(run_id, process_id, n, phase_id, start_ns, end_ns, samples) select 1, process_id, 0, id, 0, $3, nullif(${5:-0}, 0) / $2 from phase;
		insert into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'run', 'mpi', 'parallel_efficiency', '', 1.0 * $4 / $3, '1', null);"
	} | sqlite3 -bail "$1/tacho.db"
}
# 10 % of the work is serial: 0.1 + 0.9 / p
for p in 1 2 4 8; do database amdahl-$p $p $((100000 + 900000 / p)) 90000; done
"$tacho" scaling --format json amdahl-4 amdahl-8 amdahl-1 amdahl-2 >amdahl.json &&
	same "$(value laws 'rows[0]["value_%"]' amdahl.json)" 10 "$(value laws 'abs(rows[0]["error_%"]) < 1e-6' amdahl.json | sed 's/True/1/')" 1 \
		"$(value runs 'rows[3]["speedup"]' amdahl.json)" 4.7058823529411766
check $? "Amdahl's serial share is found where there is one"
# Within a budget, a tenth of it in detail, where ranks are useful for half as long: efficiencies are of all of it.
mkdir bounded && cp amdahl-4/tacho.db bounded && sqlite3 bounded/tacho.db "
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		select 1, 'run', 'host', 'host_parallel_efficiency', '', sum(ns) / 4.0 / 325000, '1', null from host_time where state = 'useful';
	update host_time set ns = case state when 'useful' then ns / 20 else ns / 10 end;
	insert into host_time (run_id, process_id, window, state, ns)
		select 1, p.id, 'run', 'wait', h.ns from process p join host_time h on h.process_id = p.id and h.state = 'useful';
	insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'run', 'not_in_detail', end_ns * 9 / 10 from process;
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		values (1, 'run', 'mpi', 'communication_efficiency', '', 90000.0 / 325000, '1', null)"
"$tacho" scaling --format json --db bounded.db amdahl-1 bounded >bounded.json && "$tacho" scaling --format json --db whole.db amdahl-1 amdahl-4 >whole.json &&
	same $(for name in runtime speedup computation_scalability global_efficiency; do of bounded.db 2 $name; of whole.db 2 $name; done)
check $? "a run within a budget has the scalabilities of the same run recorded whole"
sqlite3 amdahl-8/tacho.db "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'mfu', '', 0.375, '1', null)"
"$tacho" scaling --format json amdahl-1 amdahl-8 >mfu.json && same "$(value runs 'rows[1]["mfu_%"]' mfu.json)" 37.5 &&
	"$tacho" report -o mfu.html amdahl-1 amdahl-8 >/dev/null 2>&1 && html --text mfu.html | grep -q '^amdahl-8 | 38 % | '
check $? "MFU of those that have it stands beside"
# Four times as fast on twice as many ranks: of single runs that is noise, of three of each size it may be so.
for p in 1 2; do for i in a b c; do database noisy-$i-$p $p $((400000 / (p * p))) 90000; done; done
for i in a b c; do for p in 1 2; do sqlite3 noisy-$i-$p/tacho.db "update run set label = 'noisy-$p', command = 'x'"; done; done
"$tacho" scaling --format json noisy-a-1 noisy-a-2 >noisy.json && [ "$(value runs 'str([r["speedup"] for r in rows]) + " " + str(rows[1]["note"])' noisy.json)" = \
	"[1, None] speed-up: over 1.5 times the ideal, from fewer than 3 runs of a size: repeat them" ] &&
	"$tacho" report -o noisy.html noisy-a-1 noisy-a-2 >/dev/null 2>&1 && html --text noisy.html | grep -q 'fewer than 3 runs of a size' || { cat noisy.json; false; }
check $? "a speed-up far beyond the ideal is refused where each size has one run, with the reason"
"$tacho" scaling --format json noisy-?-? >noisy.json && [ "$(value runs '[r["speedup"] for r in rows]' noisy.json)" = "[1, 4]" ] || { cat noisy.json; false; }
check $? "and counts where each has three"
# Beyond these runs: 16 and 32 ranks and no more; the useful time of all ranks grows with them, so that computation scalability is 1 / ranks.
python3 - <<'P'
import json
rows = {(r["what"], r["size"]): r for r in json.load(open("amdahl.json"))["beyond"]}
assert sorted({size for what, size in rows}) == [16, 32], rows
for size in (16, 32):
    law, factor = rows["speed-up, Amdahl", size], rows["computation scalability", size]
    assert all(abs(law[k] - size / (1 + 0.1 * (size - 1))) < 1e-6 for k in ("value", "low", "high")), law
    assert abs(factor["value"] - 1 / size) < 1e-9, factor
P
check $? "Amdahl's law and POP's factors at twice and four times the largest size, no further"
# rank 0 writes for 40 µs while no other rank is in that phase: it takes as long on two ranks, and loses half of it
for p in 1 2; do
	database alone-$p $p 100000 90000 && sqlite3 alone-$p/tacho.db "insert into host_time (run_id, process_id, window, state, ns)
		select 1, id, 'phase:save', case rank when 0 then 'useful' else 'absent' end, 40000 from process;
		insert into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'phase:save', 'mpi', 'parallel_efficiency', '', 1.0 / $p, '1', null), (1, 'phase:save', 'mpi', 'communication_efficiency', '', 1, '1', null)"
done
"$tacho" scaling --format json alone-1 alone-2 >alone.json && same "$(value phases '{r["phase"]: r for r in rows}["save"]["largest_ns"]' alone.json)" 40000 \
	"$(value phases '{r["phase"]: r for r in rows}["save"]["speedup"]' alone.json)" 1 "$(value phases '{r["phase"]: r for r in rows}["save"]["lost_ns"]' alone.json)" 20000
check $? "a phase of one rank is as long as it is there"
# train is shared by all ranks, save takes 40 ms on one of them, whatever their number: it is what bounds 16 and 32 ranks
for p in 1 2 4 8; do
	train=$((400000000 / p))
	database bound-$p $p $((train + 40000000)) $train && sqlite3 bound-$p/tacho.db "insert into host_time (run_id, process_id, window, state, ns)
		select 1, id, 'phase:save', case rank when 0 then 'useful' else 'absent' end, 40000000 from process
		union all select 1, id, 'phase:train', 'useful', $train from process;
		insert into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'phase:save', 'mpi', 'communication_efficiency', '', 1, '1', null), (1, 'phase:train', 'mpi', 'communication_efficiency', '', 1, '1', null)"
done
"$tacho" scaling --format json bound-1 bound-2 bound-4 bound-8 >bound.json && python3 - <<'P'
import json
rows = {(r["what"], r["size"]): r for r in json.load(open("bound.json"))["beyond"]}
for size, lost in ((16, "0.0375"), (32, "0.0387")):
    assert rows["speed-up, Amdahl", size]["bound_first"] == "save: %s s of loss against an ideal run" % lost, rows
    assert abs(rows["speed-up, Amdahl", size]["value"] - 440 / (40 + 400 / size)) < 1e-6, rows
P
check $? "the phase that would bound larger runs first is named with what it would cost"
# p / (1 + 0.05 (p - 1) + 0.01 p (p - 1)), fastest at sqrt(95) ranks
for p in 1 2 4 8 16 32; do database usl-$p $p "$(python3 -c "print(round(1e9 * (1 + 0.05 * ($p - 1) + 0.01 * $p * ($p - 1)) / $p))")" 90000; done
"$tacho" scaling --format json usl-1 usl-2 usl-4 usl-8 usl-16 usl-32 >usl.json && python3 - <<'P'
import json
laws = {r["what"]: r for r in json.load(open("usl.json"))["laws"] if r["law"] == "USL"}
assert abs(laws["contention"]["value_%"] - 5) < 1e-5 and abs(laws["coherence"]["value_%"] - 1) < 1e-5, laws
assert laws["coherence"]["means"] == "fastest at 10 ranks", laws
P
check $? "contention and coherence of the universal scalability law are found"
# 1, 2, 5, 12 and 30 ms on 1 to 16 ranks: more ranks are slower, whatever law
for p in 1:1 2:2 4:5 8:12 16:30; do database slower-${p%:*} ${p%:*} ${p#*:}000000 90000; done
"$tacho" scaling --format json slower-1 slower-2 slower-4 slower-8 slower-16 >slower.json && python3 - <<'P'
import json
laws = {r["what"]: r for r in json.load(open("slower.json"))["laws"] if r["phase"] == "whole run"}
assert laws["serial"]["value_%"] is None and laws["serial"]["means"].startswith("none: larger runs are slower than the reference"), laws
assert laws["contention"]["value_%"] == 0 and laws["coherence"]["value_%"] > 0 and laws["coherence"]["means"] == "fastest at the size of the reference", laws
P
check $? "laws of what gets slower do not report a gain"
"$tacho" scaling --format json amdahl-1 amdahl-2 amdahl-4 >few.json && "$tacho" scaling --format json usl-1 usl-2 usl-4 usl-8 >some.json && python3 - <<'P'
import json
few, some = [{r["what"]: r for r in json.load(open(f))["laws"] if r["phase"] == "whole run"} for f in ("few.json", "some.json")]
assert few["serial"]["value_%"] is None and few["serial"]["means"] == "none: at least 4 sizes are needed to distinguish the law from chance", few
assert some["contention"]["value_%"] is None and some["coherence"]["means"] == "none: at least 5 sizes are needed to distinguish the law from chance", some
assert some["serial"]["value_%"] is not None, some
P
check $? "a law has two degrees of freedom to spare, or is none"
# size / speed-up - 1 is 5 and 10 at 2 and 3 ranks: contention would be 500 %
for p in 1:100 2:300 3:367; do database flat-${p%:*} ${p%:*} ${p#*:}0000 90000; done
"$tacho" scaling --format json flat-1 flat-2 flat-3 >flat.json && python3 - <<'P'
import json
laws = [r for r in json.load(open("flat.json"))["laws"] if r["phase"] == "whole run"]
assert len(laws) == 3 and all(r["value_%"] is None and r["means"].startswith("none: ") for r in laws), laws
P
check $? "a share above 1 is no law"
# Two ranks compute 90 µs each where one does: twice the work-time. But they waited for a core for half of the time that
# they were to run, 50 of 100 µs, in the phase as in the run, and the one for none of it. The hypervisor took a tenth.
for p in 1 2; do
	database queue-$p $p 100000 90000 && sqlite3 queue-$p/tacho.db "insert into host_time (run_id, process_id, window, state, ns)
		select 1, process_id, 'phase:train', state, ns from host_time;
		insert into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'phase:train', 'mpi', 'parallel_efficiency', '', 0.9, '1', null), (1, 'phase:train', 'mpi', 'communication_efficiency', '', 0.9, '1', null);
		insert into metric (run_id, window, model, name, subject, value, unit, flag)
			select 1, w.column1, 'counters', 'core_waited', 'rank:' || rank, ($p - 1) * 50000.0, 'ns', null from process, (values ('run'), ('phase:train')) w;"
done
"$tacho" scaling --format json --db queue.db queue-1 queue-2 >queue.json && same "$(of queue.db 2 computation_scalability)" 1 "$(of queue.db 2 core_scalability)" 0.5 \
	"$(of queue.db 2 global_efficiency)" 0.45 "$(sqlite3 queue.db "select value from metric where run_id = 2 and name = 'core_scalability' and window = 'phase:train'")" 0.5 &&
	python3 - <<'P'
import json
study = json.load(open("queue.json"))
assert all(r["value_%"] is None and "unequal shares of their cores" in r["means"] for r in study["laws"]), study["laws"]
assert all(r["fell_most"] == "core scalability (CPU contention) 1.00 → 0.50" for r in study["phases"] if r["phase"] in ("train", "whole run")), study["phases"]
P
check $? "cores that others had are a factor of their own, of the run and of phases, and no law"
sqlite3 queue-2/tacho.db "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'counters', 'stolen', 'node:n1', 0.1, '1', null)"
"$tacho" scaling --db stolen.db queue-1 queue-2 >/dev/null && same "$(of stolen.db 2 core_scalability)" 0.45 "$(of stolen.db 2 computation_scalability)" 1.1111111111111112 \
	"$(of stolen.db 2 global_efficiency)" 0.45
check $? "so is what the hypervisor took"
# samples grow with the ranks, time by s (p - 1): Gustafson's s is 5 %; at 8 measured 2 % slower
for p in 1 2 4 8; do database grows-$p $p "$(python3 -c "print(round(1e9 * $p / ($p - 0.05 * ($p - 1)) * (1 + 0.02 * ($p == 8))))")" 90000 $((p * 1000)); done
"$tacho" scaling --format json grows-1 grows-2 grows-4 grows-8 >grows.json && python3 - <<'P'
import json
study = json.load(open("grows.json"))
points = [(p, (p - 0.05 * (p - 1)) / (1.02 if p == 8 else 1)) for p in (2, 4, 8)]
x, y = [p - 1 for p, s in points], [p - s for p, s in points]
share = sum(a * b for a, b in zip(x, y)) / sum(a * a for a in x)
rest = sum((b - share * a) ** 2 for a, b in zip(x, y))
error = 4.3026527 * (rest / 2 / sum(a * a for a in x)) ** 0.5    # Student's t of 2 degrees of freedom
law = study["laws"][0]
assert study["study"][0]["scaling"] == "weak" and law["law"] == "Gustafson", study
assert abs(law["value_%"] - 100 * share) < 1e-4 and abs(law["error_%"] / 100 / error - 1) < 1e-5, (law, share, error)
P
check $? "samples show weak scaling; Gustafson's share comes with Student's interval"
database grows-16 16 1000000000 90000
"$tacho" scaling --format json grows-1 grows-2 grows-16 >unmarked.json && grep -q 'not all runs marked samples: of those that did not, the same work is assumed' unmarked.json
check $? "a run without samples among others has assumed work, and it is reported"

for n in 1 2 4; do
	make_run "conv-n$n" $((n * 2)) 40 $n train
	sqlite3 "conv-n$n/tacho.db" "update run set label = 'conv-n$n'"
done
make_run mlp-n2 4 40 2 train gpu
sqlite3 mlp-n2/tacho.db "update run set label = 'mlp-n2'"
"$tacho" scaling conv-n1 conv-n2 conv-n4 >text 2>said && [ ! -s said ] && html tacho-scaling.html && grep -q '^conv *3 *2 to 8 ranks *conv-n1' text &&
	grep -q 'tacho-scaling.html' text && html --text tacho-scaling.html >page && grep -q 'Computation scalability' page
check $? "text and page of a study"
"$tacho" scaling --format json -o mixed.html conv-n1 mlp-n2 >mixed.json && python3 - <<'P'
import json
rows = json.load(open("mixed.json"))["runs"]
assert rows[1]["gpus"] and rows[1]["computation"] is None and rows[1]["global"] is None, rows
P
check $? "ranks are not compared to GPUs"
make_run other-n1 2 40 1 train gpu
sqlite3 other-n1/tacho.db "update run set label = 'other'; update device set name = 'NVIDIA T4'"
"$tacho" scaling --format json other-n1 mlp-n2 >kinds.json && [ "$(value differences '[r["runs"] for r in rows if r["key"] == "devices" and r["value"] == "NVIDIA T4"]' kinds.json)" = "['other (emulated)']" ]
check $? "devices of another kind are reported"
make_run mlp-n1 2 40 1 train gpu
sqlite3 mlp-n1/tacho.db "update run set label = 'mlp-n1'"
"$tacho" scaling --format json mlp-n1 mlp-n2 >used.json
sqlite3 mlp-n1/tacho.db "insert into device(run_id, node_id, name, kind) select run_id, node_id, name, kind from device;
	update metric set value = value / 2 where model = 'device' and name in ('device_parallel_efficiency', 'load_balance')"
"$tacho" scaling --format json mlp-n1 mlp-n2 >seen.json && grep -q '"gpus": 2' seen.json && cmp used.json seen.json
check $? "GPUs on which nothing ran make a run no larger, nor worse"
database killed 2 400000 90000 && database crashed 4 100000 90000 && sqlite3 killed/tacho.db 'update run set cut = 1' &&
	sqlite3 crashed/tacho.db 'update run set exit_status = 3' && "$tacho" scaling --format json amdahl-1 killed crashed >/dev/null 2>said &&
	grep -q 'truncated or failed, so that the time may be that of less work: killed, crashed' said && [ "$(wc -l <said)" -eq 1 ]
check $? "runs that were truncated or failed are reported"
! "$tacho" scaling conv-n1 conv-n1 >out 2>said && grep -q 'no run differs in size, all have 2 ranks' said && [ "$(wc -l <said)" -eq 1 ]
check $? "runs of one size are no study"
"$tacho" scaling conv-n1 nowhere >out 2>said
[ $? -eq 1 ] && grep -q 'nowhere does not exist' said && [ "$(wc -l <said)" -eq 1 ]
check $? "a run that is missing is one sentence and status 1"
! "$tacho" scaling --db strong.db conv-n1 conv-n2 >out 2>said && grep -q 'strong.db already exists' said && [ "$(of strong.db 2 speedup)" = 2.0 ]
check $? "a database that is there stays"
"$tacho" scaling --format yaml conv-n1 conv-n2 >out 2>said
[ $? -eq 2 ] && grep -q 'table, csv or json' said
check $? "an unknown format is a wrong call"
"$tacho" scaling --strong --format json strong.db >again.json && cmp -s strong.json again.json
check $? "a database of the runs is a study, and gives the same again"
# Two models on 1 and 2 ranks, each three times, and a fourth that failed: those of median time are two studies.
rows=
for model in big small; do
	for run in 1:100 1:300 1:110 2:60 2:50 2:200 2:10; do
		database again ${run%:*} ${run#*:}000 9000
		mv again "$model-$run"
		sqlite3 "$model-$run/tacho.db" "update run set label = '$model-n${run%:*}', command = './$model', exit_status = '$run' = '2:10'"
		rows="$rows $model-$run"
	done
done
# shellcheck disable=SC2086
"$tacho" scaling --format json --db again.db -o again.html $rows >given.json 2>said && "$tacho" scaling --format json again.db >kept.json 2>said &&
	cmp given.json kept.json && html --text again.html >page && grep -q 'a repetition: the run of median time represents its size' page &&
	same "$(value study 'len(rows)' kept.json)" 2 "$(value runs 'len(rows)' kept.json)" 4 \
		"$(value runs 'rows[0]["time_ns"]' kept.json)" 110000 "$(value runs 'rows[1]["speedup"]' kept.json)" "$(python3 -c 'print(110 / 60)')"
check $? "repetitions of a size are one point of a study, that of median time"
make_run hostile 8 40 2 train hostile
"$tacho" scaling -o hostile.html conv-n1 hostile >text 2>said && html hostile.html && [ ! -s said ] && [ -z "$(find "$work" -name pwned)" ] &&
	! LC_ALL=C grep -q "$(printf '\033')" text
check $? "hostile names stay in their place"
