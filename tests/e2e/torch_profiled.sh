#!/bin/sh
# A training that torch.profiler and tacho record at once: what tacho reads from the profiler's files has the calls and, within
# 2 %, the times of its own recording.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_parts.py" .
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2
	RANK=1 LOCAL_RANK=1 timeout 100 /usr/bin/python3 torch_parts.py truth trace &
	RANK=0 LOCAL_RANK=0 timeout 100 /usr/bin/python3 torch_parts.py truth trace && wait $!
END

# both RECORDED PROFILED: the calls of each rank, and the most by which times are apart
both() {
	sqlite3 run/tacho.db "attach 'profiled.db' as profiled; select group_concat(n || '/' || other), max(apart) < 0.02 from (
		select a.calls as n, b.calls as other, abs(1.0 * a.total_ns / b.total_ns - 1) as apart
		from main.call a join main.process p on p.id = a.process_id join profiled.process q on q.rank = p.rank
			join profiled.call b on b.process_id = q.id and b.name glob '$2'
		where a.name = '$1' order by p.rank)"
}

MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT") && export MASTER_PORT
check "a training is recorded by both" "$tacho" -q record -o run -- sh ./launch
check "its traces are read" "$tacho" -q analyze --db profiled.db trace.0.json trace.1.json
check "batches: as many calls, of the same time" same "$(both torch:loader 'enumerate(DataLoader)*')" "8/8,8/8|1"
check "forward passes" same "$(both torch:forward 'DistributedDataParallel.forward')" "8/8,8/8|1"
check "backward passes" same "$(both torch:backward 'backward pass')" "8/8,8/8|1"
check "steps of the optimizer" same "$(both torch:optimizer 'Optimizer.step*')" "8/8,8/8|1"
check "operators are in the call tree of the trace" same "$(sqlite3 profiled.db "select group_concat(n) from (select sum(c.calls) as n
	from call_path c join process p on p.id = c.process_id where c.name = 'aten::addmm' group by p.rank)")" 8,8
check "all-reduces of the gradients" same "$(sqlite3 run/tacho.db "attach 'profiled.db' as profiled; select
	(select count(*) from main.collective where op = 'allreduce') || ' ' || (select group_concat(calls) from profiled.call where name = 'gloo:all_reduce')")" "8 8,8"
plan
