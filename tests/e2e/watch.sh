#!/bin/sh
# tacho watch: what it says of a run while that goes on, and that it ends with it.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
if [ -n "$MPICC_OPENMPI" ]; then mpicc=$MPICC_OPENMPI launcher=mpirun.openmpi; else mpicc=$MPICC_MPICH launcher=mpirun.mpich; fi
"$mpicc" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99
"$mpicc" -O1 -o hangs "$top_srcdir/tests/e2e/where_load.c" -lpthread || exit 99

# record RUN COMMAND…: in the background, as $job.
options=
record() {
	name=$1
	shift
	rm -rf "$name"
	timeout 100 "$tacho" -q record --no-merge $options -o "$name" -- "$@" >out 2>&1 &
	job=$!
	for i in $(seq 300); do
		[ -d "$name" ] && return
		sleep 0.1
	done
}

python() {
	PYTHONPATH= /usr/bin/python3 -c "$@"
}

# The last look in JSON of which a condition on `said` (ranks by number in `ranks`) is true.
json_says() {
	python '
import json, sys
for line in open("said"):
	said = json.loads(line)
	ranks = {rank["rank"]: rank for rank in said["ranks"]}
	try:
		if eval(sys.argv[1]):
			sys.exit(0)
	except (KeyError, TypeError):
		pass	# what is not known yet
sys.exit(1)' "$1" || { cat said out; return 1; }
}

# From before the first step to after the end.
record run "$launcher" -n 3 ./load 60 50
timeout 90 "$tacho" watch --json --interval 500ms --openmetrics metrics.prom run >said 2>err
status=$?
wait "$job"
check "it ends by itself when the run does" same "$status $(cat err)" "0 "
check "and the last look says so, after all steps" json_says \
	'not said["running"] and [ranks[r]["steps"] for r in range(3)] == [60, 60, 60] and ranks[0]["step"] == 59'
check "the states of a rank sum to the interval" python '
import json
n = 0
for line in open("said"):
	for rank in json.loads(line)["ranks"]:
		shares = [rank[s] for s in ("useful", "io", "mpi", "gloo", "cuda", "wait", "absent")]
		if shares[0] is not None:
			assert abs(sum(shares) - 1) < 1e-6 and min(shares) >= 0, rank
			n += 1
assert n >= 3, n'
check "rank 1 is the slowest: it computes, and the others are in MPI" json_says \
	'said["slowest"] == 1 and ranks[1]["useful"] > 0.5 and ranks[0]["mpi"] > 0.5 and ranks[2]["mpi"] > 0.5'
check "steps and samples per second are those of steps of 50 ms, or slower ones" json_says \
	'said["steps_per_s"] and 0 < said["steps_per_s"] <= 20.5 and abs(said["samples_per_s"] / said["steps_per_s"] / 96 - 1) < 0.05'
timeout 20 "$tacho" watch run >said
check "of a run that has ended it shows the end" same "$(tail -n 1 said)" "run has ended"

# The format, by the rules of OpenMetrics that a text-file collector relies on.
check "the file of metrics keeps to OpenMetrics" python '
import re
text = open("metrics.prom").read()
assert text.endswith("# EOF\n") and "\n\n" not in text
lines, family, kinds, seen = text.split("\n")[:-2], None, {}, set()
for line in lines:
	meta = re.fullmatch(r"# (TYPE|HELP) ([a-z][a-z0-9_]*) (.+)", line)
	if meta:
		if meta[1] == "TYPE":
			assert meta[2] not in kinds and meta[3] in ("gauge", "counter"), line
			assert not meta[2].endswith("_total"), line
			kinds[meta[2]] = meta[3]
			family = meta[2]
		assert meta[2] == family, line
		continue
	sample = re.fullmatch(r"([a-z][a-z0-9_]*)\{((?:[a-z]+=\"(?:[^\"\\\\\n]|\\\\[\\\\n\"])*\",?)+)\} (-?[0-9.e+-]+)", line)
	assert sample, line
	assert sample[1] == family + ("_total" if kinds[family] == "counter" else ""), line
	assert not sample[2].endswith(",") and (sample[1], sample[2]) not in seen, line
	seen.add((sample[1], sample[2]))
	float(sample[3])
assert "tacho_running{run=\"run\"} 0" in lines
for rank in "012":
	assert re.search("tacho_steps_total{run=\"run\",rank=\"%s\",node=\"[^\"]+\"} 60\n" % rank, text), text'
if PYTHONPATH= /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
	check "prometheus_client reads it" same "$(PYTHONPATH= /usr/bin/python3 -c '
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
for family in read(open("metrics.prom").read()):
	if family.name == "tacho_steps":
		print(sorted((sample.labels["rank"], int(sample.value)) for sample in family.samples))')" "[('0', 60), ('1', 60), ('2', 60)]"
else
	ok 0 "prometheus_client reads it # SKIP python3-prometheus-client is not installed"
fi
check "and is replaced in one step" same "$(ls metrics.prom*)" metrics.prom

# Lines, where stdout is no terminal; what was recorded before is not read again.
record run "$launcher" -n 2 ./load 2000 20 700000
for i in $(seq 100); do
	sleep 0.3
	timeout 20 "$tacho" watch --once --json --interval 200ms run >said && json_says 'ranks[0]["step"] is not None' >/dev/null && break
done
check "what a run had recorded long ago is passed over" json_says 'ranks[0]["step"] is not None and ranks[0]["steps"] < 1000'
"$tacho" watch --interval 200ms run >said &
watch=$!
for i in $(seq 200); do
	sleep 0.1
	[ "$(wc -l <said)" -ge 5 ] && break
done
read_bytes=$(sed -n 's/^rchar: //p' /proc/$watch/io)
size=$(cat run/spool/*/thread.* | wc -c)
kill "$watch" "$job"
wait "$watch" "$job" 2>/dev/null
few() { [ "$read_bytes" -gt 0 ] && [ "$read_bytes" -lt $((size / 2)) ] || { echo "read $read_bytes of $size"; return 1; }; }
check "and not read" few
check "without a terminal it prints lines" grep -q '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]  2 ranks.* · step [0-9]*.* · useful [0-9]* %' said

# Spools on the node's own disk.
mkdir disk
options="--spool disk"
record apart "$launcher" -n 2 ./load 60 50
options=
timeout 90 "$tacho" watch --json --interval 300ms apart >said
wait "$job"
check "spools on this node's own disk are seen" json_says 'said["running"] and ranks[1]["useful"] > 0.5 and ranks[0]["mpi"] > 0.5'

# A run of bounded size, whose spools give up what is old.
options="--max-size 3M"
record bounded "$launcher" -n 2 ./load 100 20 200000
options=
timeout 90 "$tacho" watch --json --interval 200ms bounded >said
wait "$job"
check "of a run of bounded size, too, it sees all steps" json_says \
	'not said["running"] and [ranks[r]["steps"] for r in range(2)] == [100, 100]'
check "and what its ranks do" json_says 'said["slowest"] == 1 and ranks[0]["mpi"] > 0.5'
check "which it had given up in part" test -n "$(ls bounded/spool/*/totals.0)"

# A job that hangs.
record run "$launcher" -n 3 ./hangs late 100000
# Until the second of those that wait, too, has waited for the half second.
hang='(said["hang"] or "").startswith("Ranks 0 and 2 wait in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which has computed for") and ranks[0]["call"] == "MPI_Allreduce" and ranks[1]["call"] is None'
for i in $(seq 60); do
	timeout 30 "$tacho" watch --once --json --interval 300ms --hang 500ms run >said && json_says "$hang" >/dev/null && break
	sleep 0.3
done
check "of a job that hangs it says who is waited for" json_says "$hang"
# The verdict is asked for rarely: its ages are those of each look.
timeout 8 "$tacho" watch --json --interval 400ms --hang 500ms run >said
check "and for how long at each look" python '
import json, re
texts = [json.loads(line)["hang"] or "" for line in open("said")]
ages = [float(m.group(1)) for m in (re.search("rank 1, which has computed for ([0-9.]+) s", t) for t in texts) if m]
assert len(ages) >= 5 and all(a < b for a, b in zip(ages, ages[1:])), texts
assert not re.search("[\\x00-\\x1f]", "".join(texts)), texts'
kill "$job"
wait "$job" 2>/dev/null

timeout 20 "$tacho" watch nothing >said 2>&1
check "without a run it fails, and says so" same "$? $(cat said)" \
	"1 tacho: there is no run nothing: begin one with \`tacho record -o nothing\`"

# PyTorch over gloo: rank 1 computes, the other waits in gloo.
cat >steps.py <<-'END'
	import time, torch, torch.distributed as dist
	from torch.nn.parallel import DistributedDataParallel
	dist.init_process_group("gloo")
	model = DistributedDataParallel(torch.nn.Linear(64, 64))
	end = time.monotonic() + 60
	while True:
	    if dist.get_rank() == 1:
	        busy = time.monotonic() + 0.05
	        while time.monotonic() < busy:
	            pass
	    model(torch.ones(8, 64)).sum().backward()
END
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
	export MASTER_PORT
	RANK=1 LOCAL_RANK=1 timeout 60 /usr/bin/python3 steps.py &
	RANK=0 LOCAL_RANK=0 timeout 60 /usr/bin/python3 steps.py
	kill $!
END
if PYTHONPATH= /usr/bin/python3 -c 'import torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null; then
	unset PYTHONPATH
	record torch sh ./launch
	slower='said["slowest"] == 1 and said["steps_per_s"] > 0 and ranks[0]["gloo"] > ranks[1]["gloo"] + 0.05'
	for i in $(seq 40); do
		timeout 30 "$tacho" watch --once --json --interval 1s torch >said && json_says "$slower" >/dev/null && break
	done
	check "PyTorch: steps without a marker, and the rank that is slower" json_says "$slower"
	kill "$job"
	wait "$job" 2>/dev/null
else
	ntests=$((ntests + 1))
	echo "ok $ntests - PyTorch # SKIP PyTorch with gloo is not installed"
fi
plan
