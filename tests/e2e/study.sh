#!/bin/sh
# A study of the real trainer on 1 and 2 ranks, whose test phase is serial: that is what does not scale.
. "$top_srcdir/tests/e2e/lib.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
export TACHO_DATADIR="$top_srcdir"
size="--train-samples 1024 --validate-samples 64 --test-samples 2048"

check "the data set is made" "$trainer" --make-data data $size --quiet
for ranks in 1 2; do
	check "trains on $ranks" timeout 400 "$tacho" -q record -o "n$ranks" -- mpirun -n $ranks \
		"$trainer" --data-dir data $size --epochs 1 --batch 64 --test-phase serial --readers 1 --quiet
done
"$tacho" scaling --format json n2 n1 >study.json

# Figures again from the tables that the runs' own databases have of phases and states.
study_agrees() {
	python3 - <<'P'
import json, sqlite3
study = json.load(open("study.json"))
runs = [sqlite3.connect("n%d/tacho.db" % n) for n in (1, 2)]
one = lambda db, sql: db.execute(sql).fetchone()[0]
near = lambda a, b: abs(a - b) <= max(1e-6 * abs(b), 1e-9 if abs(b) < 1e3 else 1)	# ns are whole
useful = [one(r, "select sum(ns) from host_time h join process p on p.id = h.process_id where \"window\" = 'run' and state = 'useful' and rank is not null")
	for r in runs]
parallel = [one(r, "select value from metric where \"window\" = 'run' and model = 'mpi' and name = 'parallel_efficiency'") for r in runs]
test = [one(r, "select max(end_ns) - min(start_ns) from phase where name = 'test'") for r in runs]
first, second = study["runs"]
assert study["study"][0]["scaling"] == "strong" and first["batch"] == second["batch"] == 64, study
assert near(second["computation"] * (second["core"] or 1), useful[0] / useful[1]) and near(second["global"], parallel[1] * useful[0] / useful[1]), (second, useful)
assert near(second["speedup"], first["time_ns"] / second["time_ns"]), second
phase = {p["phase"]: p for p in study["phases"]}["test"]
assert near(phase["reference_ns"], test[0]) and near(phase["largest_ns"], test[1]), (phase, test)
balance = one(runs[1], "select value from metric where \"window\" = 'phase:test' and model = 'mpi' and name = 'load_balance'")
assert near(phase["lost_ns"], test[1] - test[0] / 2) and phase["fell_most"] and balance < 0.7, (phase, balance)	# a busy machine may cost more
P
}
check "speed-up, scalability and what the serial phase lost are those of the runs' tables" study_agrees
plan
