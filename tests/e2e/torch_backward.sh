#!/bin/sh
# Trainings without DistributedDataParallel and without a marker: backward passes are regions, and steps end with
# them, or with the optimizer's steps where there are those. Ends are held against the program's own clock.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_backward.py" .

# A step lasts as long as from somewhere in one call to somewhere in the next, whatever the machine does meanwhile.
cat >ends.py <<-'END'
	import sqlite3, sys

	run, stamps, rank, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), [int(n) for n in sys.argv[4].split()]
	calls = [tuple(map(int, line.split())) for line in open(stamps)]
	steps = sqlite3.connect(run + "/tacho.db").execute("""select s.n, s.end_ns - s.start_ns from step s join process p
	    on p.id = s.process_id where p.rank = ? order by s.n""", (rank,)).fetchall()
	assert len(steps) == len(first), steps
	for (n, ns), k in zip(steps, first):
	    (before, after), (end_before, end_after) = calls[k:k + 2]
	    least, most = end_before - after - 1e6, end_after - before + 1e6
	    assert least <= ns <= most, f"step {n}: {least} <= {ns} <= {most}"
END
between() {
	/usr/bin/python3 ends.py "$@"
}
calls_of="select group_concat(name || ' ' || calls || ' ' || helper_calls, ', ') from (select * from call where name glob 'torch:*' order by name)"

/usr/bin/python3 torch_backward.py plain bare >bare.txt
check "a training in one process is recorded" sh -c '"$@" >seen.txt' - "$tacho" -q record -o run -- /usr/bin/python3 torch_backward.py plain stamps
check "its weights are the same bit for bit" cmp bare.txt seen.txt
check "each backward pass is one region, whatever passes are within it; so is another thread's" same "$(query "$calls_of")" "torch:backward 31 1"
check "and ends a step of the main thread, but for the first" between run stamps 0 "$(seq -s ' ' 0 28)"
check "which is less sure than a mark" same "$(query "select max(confidence) < 1 and min(confidence) > 0.9 from step")" 1
check "no check of the analysis fails" same "$(query "select count(*) from checks where not ok")" 0

# 1 + 2 + 3 + 4 passes for each four batches, one more, and one that raises; the loader is asked once more at the end
for how in named renamed; do
	check "a training whose optimizer is $how is recorded" "$tacho" -q record -o $how -- /usr/bin/python3 torch_backward.py $how stamps
	check "passes, steps of the optimizer, and waits for batches are regions, also after an exception" same "$(query "$calls_of" $how)" \
		"torch:backward 22 0, torch:loader 9 0, torch:optimizer 8 0"
	check "a step is one of the optimizer's, of however many passes" between $how stamps 0 "$(seq -s ' ' 0 6)"
	check "no check of the analysis fails, either" same "$(query "select count(*) from checks where not ok" $how)" 0
done

# Within a budget that is less than a third of what is recorded.
check "a long one, in which a step was slow, is recorded within a budget" "$tacho" -q record --max-size 1M -o slow -- \
	/usr/bin/python3 torch_backward.py slow stamps
check "all of its steps are known, and not all are in detail" same "$(query "select count(*), min(n), max(n),
	(select sum(value) > 0 from metric where name = 'not_in_detail' and window = 'run') from step" slow)" "499|0|498|1"
check "the slow one is" same "$(query "select s.n, (select sum(calls) from call where name glob 'pread*') from step s where
	n = 99 and end_ns - start_ns >= 500e6 and not exists (select 1 from host_time h where h.window = 'step:' || s.n
	and h.state = 'not_in_detail' and h.ns > 0)" slow)" "99|50000"
check "one whose steps end with backward passes alone, too" "$tacho" -q record --max-size 1M -o passes -- \
	/usr/bin/python3 torch_backward.py passes stamps
check "the slow one is in detail, of which analyze finds that it is a step" same "$(query "select count(*) from step s where
	end_ns - start_ns >= 500e6 and end_ns - start_ns < 5e9 and confidence < 1 and not exists (select 1 from host_time h
	where h.window = 'step:' || s.n and h.state = 'not_in_detail' and h.ns > 0)" passes)" 1
check "a training of two models that learn from each other is recorded" "$tacho" -q record -o gan -- /usr/bin/python3 torch_backward.py gan stamps
check "each step of their optimizers is one" between gan stamps 0 "$(seq -s ' ' 0 18)"
"$tacho" report -s gan | tr -s ' \n' ' ' >text
check "forward passes that nothing wraps are part of a step, by samples of the stacks, and nothing says otherwise" sh -c '
	grep -q " a training step .*forward (sampled) [2-9][0-9] %.* POP" text && ! grep -q " PyTorch " text'

MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
export MASTER_PORT
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2
	RANK=1 LOCAL_RANK=1 timeout 400 /usr/bin/python3 torch_backward.py sharded stamps &
	RANK=0 LOCAL_RANK=0 timeout 400 /usr/bin/python3 torch_backward.py sharded stamps && wait $!
END
check "two ranks that gather shards are recorded" "$tacho" -q record -o sharded -- sh ./launch
for rank in 0 1; do
	check "steps of rank $rank end with their passes, and an evaluation between them is none" between sharded stamps$rank $rank \
		"$(seq -s ' ' 0 8) $(seq -s ' ' 10 18)"
done

# One rank alone was seen in a module.
cp sharded/tacho.db seen.db
parts() {
	{
		echo ".param set :run 1"
		echo "insert into python_sample (run_id, process_id, location_id, frame_id, state, call, phase, samples, ns)
			select 1, p.id, l.id, null, 'forward', null, null, 1, 9000000000 from process p join location l
			on l.process_id = p.id where p.rank = 0 and l.is_main;"
		echo 'select group_concat(State, " "), round(sum("Share|percent|of the steps"), 6) from ('
		sed '$s/;$//' "$top_srcdir/reports/page/step_parts.sql"
		echo ");"
	} | sqlite3 -bail seen.db
}
check "parts add up to the steps then, too" same "$(parts)" "forward (sampled) backward communication checkpoint other|1.0"
plan
