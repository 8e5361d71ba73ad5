#!/bin/sh
# Two real trainings, of which the second one reads from a storage that was made slow: tacho compare names what grew.
. "$top_srcdir/tests/e2e/lib.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
command -v python3 >/dev/null || skip_all "python3 is not installed"
size="--train-samples 256 --validate-samples 32 --test-samples 32"
options="--data-dir data $size --model conv --epochs 1 --batch 32 --readers 0 --quiet"

record() {	# RUN OPTION…
	run=$1
	shift
	timeout 200 "$tacho" -q record -o "$run" -- mpirun -n 2 "$trainer" $options "$@"
}

# compare STATUS ARGUMENT…
compare() {
	wanted=$1
	shift
	"$tacho" compare "$@" >said 2>complained
	same $? "$wanted" || { cat said complained; return 1; }
}

# Each step reads 16 samples per rank, before each of which a read takes 4 ms: that much at least, and all of it is I/O.
# What reads take in the fast one is the machine's affair.
io_grew() {
	compare 0 fast slow --format json && python3 - <<'P'
import json
said = json.load(open("said"))
host = {r["state"]: r for r in said["time"] if r["part"] == "host"}
io = host["io"]
assert io["new_ns"] > 16 * 4e6 * 0.95 and abs(io["new_ns"] - io["base_ns"] - io["difference_ns"]) < 1, host
assert abs(sum(r["difference_ns"] for s, r in host.items() if s != "all") - host["all"]["difference_ns"]) < 1, host
assert said["new"]["steps"] == said["base"]["steps"] == 8, said["new"]
assert {d["what"] for d in said["differences"]} == {"command"}, said["differences"]
assert any(c["name"] == "read" and c["new_ns"] > 16 * 4e6 * 0.95 for c in said["calls"]), said["calls"]
P
}

check "the data set is made" "$trainer" --make-data data $size --quiet
check "a training is recorded" record fast
check "and again from a slow storage" record slow --plant slow-storage:4
check "I/O is what grew, by what was planted, and the command is what differs" io_grew
check "a gate on the efficiency of I/O fails" compare 3 fast slow --gate-on host.io_efficiency@phase:train:20
check "the same says so last" grep -q '^gate: failed: host.io_efficiency in phase:train falls by' said
check "the training next to itself passes" compare 0 fast fast --gate --threshold 1000 --gate-on host.io_efficiency:0
plan
