#!/bin/sh
# Trainings whose processes have different parts: actors and a learner below a script, a parameter server, a pipeline of
# which one stage has no backward pass, remote calls. All of them are recorded, and have the steps of those that train.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_roles.py" .
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=$2 LOCAL_WORLD_SIZE=$2
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT") && export MASTER_PORT
	rank=0
	while [ $((rank += 1)) -lt "$2" ]; do
		RANK=$rank LOCAL_RANK=$rank timeout 200 /usr/bin/python3 torch_roles.py "$1" &
	done
	RANK=0 LOCAL_RANK=0 timeout 200 /usr/bin/python3 torch_roles.py "$1" && wait $!
END
# steps RUN: their number and first one for each rank
steps() {
	query "select group_concat(rank || ' ' || n || ' ' || first, ', ') from (select p.rank, count(*) as n, min(s.n) as first from step s
		join process p on p.id = s.process_id where not s.cut group by p.rank order by p.rank)" "$1"
}
sound() { same "$(query "select (select count(*) from unmatched) + (select count(*) from checks where not ok) + (select total(count) from loss)" "$1")" 0.0; }

printf '/usr/bin/python3 torch_roles.py actors\n:\n' >job
check "actors and a learner that a script starts are recorded" "$tacho" -q record -o actors -- sh ./job
check "the learner is the rank, and has its steps" same "$(steps actors)" "0 29 0"
# each actor sleeps for 0.6 s
check "the actors are there with what they do" same "$(query "select count(*) from process p where rank is null and
	(select sum(total_ns) from call c where c.process_id = p.id and c.name glob '*nanosleep') >= 600e6" actors)" 2
check "no check of its analysis fails" sound actors
check "the learner waits for child processes, which are no data-loader workers" same "$(query "select
	(select count(*) from finding where message glob 'rank 0 waits in * of 29 steps, * for child processes*') || ' ' ||
	(select count(*) from finding where message glob '* for data-loader workers*')" actors)" "1 0"

check "a parameter server of two workers is recorded" "$tacho" -q record -o server -- sh ./launch server 3
check "it has the steps of its workers" same "$(steps server)" "0 29 0, 1 29 0, 2 29 0"
check "which each has its work of" same "$(query "select count(*) from step s join process p on p.id = s.process_id where p.rank = 0 and
	s.end_ns - s.start_ns < 20e6" server)" 0
check "what holds the steps up is told in steps" same "$(query "select count(*) from finding
	where message glob 'rank 0 sleeps in 2[0-9] of 29 steps, * in server() at torch_roles.py:*'" server)" 1
check "no check of its analysis fails" sound server

check "a stage without a backward pass is recorded" "$tacho" -q record -o pipeline -- sh ./launch pipeline 2
check "it has the steps of the other one" same "$(steps pipeline)" "0 29 0, 1 29 0"
check "in each process that analyzes" same "$("$tacho" -q analyze -j 2 pipeline/trace/traces.otf2 --db two.db && sqlite3 two.db "select count(*) from step")" 58
check "no check of its analysis fails" sound pipeline

PYTHONPATH= /usr/bin/python3 -c 'import torch.distributed.rpc as r; r.init_rpc' 2>/dev/null || { plan; exit 0; }
check "remote calls are recorded" "$tacho" -q record -o rpc -- sh ./launch rpc 2
check "steps are the caller's, whose thread trains" same "$(steps rpc)" "0 29 0"
check "what threads do for remote calls is there" same "$(query "select sum(helper_calls) >= 30 and sum(total_ns) >= 600e6 from call c
	join process p on p.id = c.process_id where p.rank = 1 and c.name glob '*nanosleep'" rpc)" 1
check "no check of its analysis fails" sound rpc
plan
