#!/bin/sh
# PyTorch as it is: two ranks over gloo, loader children that read the samples. What they read is
# counted exactly, and the weights are those of a run without tacho, bit for bit.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"

# As torchrun starts its workers; Debian's own torchrun does not run with Debian's Python.
cat >launch <<-'END'
	ranks=$1 program=$2
	shift 2
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=$ranks LOCAL_WORLD_SIZE=$ranks
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
	export MASTER_PORT
	rank=0
	while [ $((rank += 1)) -lt "$ranks" ]; do
		RANK=$rank LOCAL_RANK=$rank timeout 400 /usr/bin/python3 "$program" "$@" &
	done
	RANK=0 LOCAL_RANK=0 timeout 400 /usr/bin/python3 "$program" "$@" && wait $!
END
cp "$top_srcdir/tests/e2e/torch_ddp.py" "$top_srcdir/tests/e2e/torch_ops.py" "$top_srcdir/tests/e2e/torch_mixed.py" \
	"$top_srcdir/tests/e2e/torch_unwaited.py" "$top_srcdir/tests/e2e/torch_shapes.py" .
unset PYTHONPATH

check "a training runs without tacho" sh ./launch 2 torch_ddp.py data bare.txt
check "and under it" "$tacho" -q record -o run -- sh ./launch 2 torch_ddp.py data seen.txt
check "its weights are the same bit for bit" cmp bare.txt seen.txt
check "both ranks ended by themselves" same "$(query "select group_concat(rank || end) from
	(select * from process where rank is not null order by rank)")" "0finished,1finished"
# two workers for each of two epochs on each of two ranks
check "so did their loaders' children" same "$(query "select count(*) from process
	where rank is null and parent_id is not null and end = 'finished'")" 8
check "each sample is opened once in each epoch by a child, and read in full" same "$(query "select sum(opens) || ' ' ||
	sum(bytes_read) from io_file f join process p on p.id = f.process_id
	where path glob '*data/*.bin' and p.rank is null")" "$((96 * 2)) $((96 * 2 * 4096))"
check "written by rank 0 alone" same "$(query "select sum(bytes_written) from io_file f join process p on p.id = f.process_id
	where path glob '*data/*.bin' and p.rank = 0")" $((96 * 4096))
check "no check of the analysis fails" same "$(query "select count(*) from checks where not ok")" 0

# Six batches in each of two epochs; the gradients of 4096 × 64 + 64 + 64 × 10 + 10 numbers.
check "each backward pass is one all-reduce of all gradients" same "$(query "select group_concat(distinct bytes), count(*)
	from collective where op = 'allreduce'")" "1051432|12"
check "and the end of one step of each rank" same "$(query "select group_concat(n) from (select count(*) as n from step
	where not cut and confidence = 1 group by process_id)")" 12,12
check "waiting for gradients is communication" same "$(query "select count(*) from call c join process p on p.id = c.process_id
	where p.rank is not null and c.class = 'gloo' and c.name = 'torch:DDP.finalize_backward' and c.calls = 12")" 2
check "so are the states of ranks, operations and communicators" same "$(query "select (select count(distinct process_id) from host_time
	where state = 'gloo' and window = 'run') || (select count(*) from host_time where state = 'mpi') || (select group_concat(distinct kind)
	from collective) || (select group_concat(distinct kind) from communicator)")" 20gloogloo
# 12 all-reduces by a ring of two, each message with a head
check "gradients are seen in the sockets, and both ends agree" same "$(query "select group_concat(bytes between 12 * 1051432 and 12 * 1051432
	+ 64 * writes + case rank when 0 then 2 * 1051432 else 0 end), (select sum(bytes_sent) - sum(bytes_received) from socket
	where peer_id is not null) from socket_pair")" "1,1|0"
check "those of steps are of their gradients alone" same "$(query "select group_concat(bytes_in_steps between 12 * 1051432
	and 12 * 1051432 + 64 * writes) from socket where bytes_sent > 1000000")" 1,1
"$tacho" report -s run >text
check "who reads the efficiencies learns that they are about gloo" grep -q '^ *POP, gloo .*load balance' text
check "and not about MPI" [ "$(grep -c MPI text)" = 0 ]

# The same within a budget of a tenth: the ranks' calls of PyTorch, with their bytes, and what their loaders' children did.
# Loaders are asked for a sample once more where it is late.
counts() {
	query "select rank || ' ' || c.name || ' ' || calls || ' ' || coalesce(bytes_sent, 0) || ' ' || coalesce(bytes_received, 0)
		from call c join process p on p.id = c.process_id where rank is not null and (c.name glob 'gloo:*' or c.name glob 'torch:*') and c.name <> 'torch:loader'
		order by rank, c.name" "$1"
	query "select c.name || ' ' || sum(calls) || ' ' || coalesce(sum(bytes_received), 0) from call c join process p
		on p.id = c.process_id where rank is null and c.name in ('read', 'open64', 'lseek64', 'fstat64') group by c.name" "$1"
	query "select sum(steps) from step_all group by process_id" "$1"
}
check "the same within a budget" "$tacho" -q record --max-size 512K -o small -- sh ./launch 2 torch_ddp.py data seen.txt
check "not all is in detail, and children are in totals" same "$(query "select (select count(*) from metric where name = 'not_in_detail'
	and window = 'run' and value > 0), (select sum(value) > 0 from environment where key = 'ended_children'),
	(select count(*) from loss), (select count(*) from checks where not ok)" small)" "2|1|0|0"
check "its numbers and bytes are those of all that was kept" same "$(counts small)" "$(counts run)"

check "operations of all kinds in three groups are recorded" "$tacho" -q record -o ops -- sh ./launch 3 torch_ops.py
check "each is one collective of its group, with its bytes" same "$(query "select comm_id || ' ' || op || ' ' || bytes
	from collective order by comm_id, seq" ops)" "0 allreduce 4
0 allreduce 4000
0 allreduce 4000
0 allreduce 84
0 broadcast 400
0 reduce 256
0 allgather 120
0 gather 240
0 scatter 360
0 barrier 0
0 allreduce 8000
0 allgather 24
0 allgather 72
1 allreduce 44
2 allreduce 48
2 barrier 0"
check "groups have their members" same "$(query "select size from communicator order by id" ops)" "3
2
2"
check "messages have sender, receiver and bytes" same "$(query "select p.rank || ' ' || c.name || ' ' || c.bytes_sent || ' ' ||
	c.bytes_received from call c join process p on p.id = c.process_id where c.name in ('gloo:send', 'torch:RecvWork.wait')
	order by 1" ops)" "0 gloo:send 620 0
1 torch:RecvWork.wait 0 624
2 gloo:send 316 0
2 torch:RecvWork.wait 0 312"
check "a receive from any source has its sender" same "$(query "select ok from checks where name = 'messages_match'" ops)" 1
check "all have partners, and no check fails" same "$(query "select (select count(*) from unmatched)
	+ (select count(*) from checks where not ok) + (select total(count) from loss)" ops)" 0.0

check "two models, hooks, threads and failures are recorded" "$tacho" -q record -o mixed -- sh ./launch 2 torch_mixed.py
check "threads' groups have their operations" same "$(query "select group_concat(n) from (select count(*) as n from collective
	where comm_id > 0 group by comm_id)" mixed)" 20,20,20
check "each operation is complete, and none ends before the last rank has come" same "$(query "select group_concat(name || message)
	from checks where not ok and name in ('causality', 'collectives_complete')" mixed)" ""
check "the first model's steps count" same "$(query "select group_concat(n) from (select count(*) as n from step
	group by process_id)" mixed)" 10,10

check "operations that nobody is seen to wait for are recorded" sh -c '"$@" >said' - "$tacho" -q record -o unwaited -- sh ./launch 2 torch_unwaited.py
check "by a future, by asking, not at all: each is one" same "$(query "select op || ' ' || bytes || ' ' || count(*) from collective
	where bytes in (400, 800, 1200) group by op, bytes order by 1" unwaited)" "$(LC_ALL=C sort -u said)"
# besides two barriers
check "a wait for a future is communication" same "$(query "select sum(calls) > 2 from call c join process p on p.id = c.process_id
	where p.rank = 0 and c.class = 'gloo' and c.name = 'torch:Work.wait'" unwaited)" 1
# 16 x 4 + 4 numbers; three of both ranks, and two that rank 0 makes in place of a step
check "so are those of a join" same "$(query "select count(*) from collective where op = 'allreduce' and bytes = 272" unwaited)" 5
check "whose steps are those that each rank made" same "$(query "select group_concat(n) from (select count(*) as n from step
	where not cut group by process_id)" unwaited)" 3,5
check "all are complete, and no check fails" same "$(query "select (select group_concat(name || message) from checks where not ok)
	is null and (select sum(calls) from call where name glob 'gloo:all_reduce') = 2 * (select count(*) from collective
	where op = 'allreduce')" unwaited)" 1

check "trainings of other shapes are recorded" "$tacho" -q record -o shapes -- sh ./launch 2 torch_shapes.py
check "two batches with no_sync are one step" same "$(query "select group_concat(n) from (select count(*) as n from step
	where not cut group by process_id)" shapes)" 6,6
# of 4,810 parameters, of which ZeRO sends each tensor from its owner; shards of 1,000 numbers; 620 halves; 930 parameters
check "their gradients, ZeRO's parameters, shards, halves and means are counted" same "$(query "select group_concat(op || ' ' || bytes || ' ' || n, ', ')
	from (select op, bytes, count(*) as n from collective where bytes > 0 group by op, bytes having n >= 5 order by op, bytes)" shapes)" \
	"allgather 8000 5, allreduce 1240 8, allreduce 3720 5, allreduce 8000 5, allreduce 19240 6, broadcast 40 6, broadcast 256 6, broadcast 2560 6, broadcast 16384 6"
check "stages of a pipeline send to each other" same "$(query "select group_concat(rank || ' ' || name || ' ' || calls || ' ' || sent || ' ' || got, ', ')
	from (select p.rank, c.name, c.calls, coalesce(c.bytes_sent, 0) as sent, coalesce(c.bytes_received, 0) as got from call c
	join process p on p.id = c.process_id where c.name in ('gloo:send', 'torch:RecvWork.wait') order by 1, 2)" shapes)" \
	"0 gloo:send 7 5600 0, 0 torch:RecvWork.wait 7 0 5600, 1 gloo:send 7 5600 0, 1 torch:RecvWork.wait 7 0 5600"
check "all have partners, and no check fails" same "$(query "select (select count(*) from unmatched)
	+ (select count(*) from checks where not ok) + (select total(count) from loss)" shapes)" 0.0

# Workers that are started anew for each epoch import PyTorch anew; forked ones need not.
for how in spawn forkserver; do
	check "a training whose workers start by $how is recorded" env LOADERS=$how sh -c '"$@" >said' - "$tacho" -q record -o $how -- sh ./launch 2 torch_ddp.py data seen.txt
	check "all of them read" same "$(query "select count(*) from process where rank is null and first_sample_ns > start_ns" $how)" 4
	check "that they start anew is a finding, of no more time than it took" same "$(query "select count(*) from finding
		where rule = 'data_loading' and variant = 'starting' and message like '%started 2 times%' and advice like '%persistent_workers%'
		and seconds <= $(sed -n 's/^first batch after //p' said | sort -g | tail -n 1)" $how)" 1
done
check "of forked ones it is none, or little on a busy machine" same "$(query "select count(*) from finding
	where rule = 'data_loading' and variant = 'starting' and seconds > 0.5")" 0

# As torchrun does when a rank has failed: all are started anew, and told how often that was.
cat >restart <<-'END'
	TORCHELASTIC_RESTART_COUNT=0 sh ./launch 2 torch_ddp.py data seen.txt 3
	TORCHELASTIC_RESTART_COUNT=1 sh ./launch 2 torch_ddp.py data seen.txt
END
check "a training that is started anew is recorded" "$tacho" -q record --keep-spools -o again -- sh ./restart
check "its ranks are those of the attempt that came to its end" same "$(query "select group_concat(rank || ' ' || attempt)
	from process where rank is not null" again)" "0 2,1 2"
check "whose steps count" same "$(query "select group_concat(n) from (select count(*) as n from step group by process_id)" again)" 12,12
"$tacho" report -s again | tr -s ' \n' ' ' >text
check "and it is said how the other one ended" grep -q '2 attempts were made.*rank 1 exited with status 7 at [0-9.]* s, after 3 steps' text

check "and what it has cost" grep -q '; 3 of 15 steps were lost; .* s were lost with the ones before it; 3 of 15 steps were lost' text
check "each has a row" same "$(query "select attempt || ' ' || is_run || ' ' || steps || ' ' || saved from attempt order by attempt" again)" "1 0 3 0
2 1 12 0"

# The first attempt lives long and fails, the second does its work at once.
cat >waits.c <<-'END'
	#include <mpi.h>
	#include <stdlib.h>
	#include <unistd.h>

	int main(int argc, char **argv)
	{
		MPI_Init(&argc, &argv);
		usleep(atoi(argv[1]) * 1000);
		MPI_Finalize();
		return atoi(argv[2]);
	}
END
cat >slow_start <<-'END'
	TORCHELASTIC_RESTART_COUNT=0 mpirun.openmpi -n 2 ./waits 2000 3
	TORCHELASTIC_RESTART_COUNT=1 mpirun.openmpi -n 2 ./waits 1 0
END
if [ -n "$MPICC_OPENMPI" ]; then
	"$MPICC_OPENMPI" -o waits waits.c || exit 99
	check "two attempts of which the failed one lived long are recorded" "$tacho" -q record -o started -- sh ./slow_start
	check "the one that ended well counts" same "$(query "select group_concat(rank || ' ' || attempt) from process where rank is not null" started)" "0 2,1 2"
else
	echo "# Open MPI is not installed: nothing is tested of an attempt that lived long"
fi

# Nobody counts attempts where a script starts its ranks anew until they end well: they follow each other.
cat >again.c <<-'END'
	#include <fcntl.h>
	#ifdef WITH_MPI
	#include <mpi.h>
	#else
	#define MPI_Init(a, b)
	#define MPI_Barrier(a)
	#define MPI_Finalize()
	#endif
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>

	int main(int argc, char **argv)
	{
		char name[64];
		int is_first;

		MPI_Init(&argc, &argv);
		snprintf(name, sizeof(name), "%s.tried.%s", argv[1], getenv(argv[2]));
		is_first = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
		usleep(is_first ? 400000 : 1000);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Finalize();
		return is_first ? 3 : 0;
	}
END
"${CC:-cc}" -o alone again.c || exit 99
attempts="select (select group_concat(rank || ' ' || attempt) from process where rank is not null),
	(select group_concat(attempt || ' ' || is_run, ', ') from (select * from attempt order by attempt))"
check "a rank that a shell starts anew is recorded" env RANK=0 WORLD_SIZE=1 "$tacho" -q record -o shell -- sh -c 'until ./alone shell RANK; do :; done'
check "it is the second attempt" same "$(query "$attempts" shell)" "0 2|1 0, 2 1"
"$tacho" report -s shell | tr -s ' \n' ' ' >text
check "which is said" grep -q '2 attempts were made.*rank 0 exited with status 3 at' text
check "another program is no attempt" sh -c 'RANK=0 WORLD_SIZE=1 "$0" -q record -o other -- sh -c "./alone other RANK; ./alone other1 RANK; ./alone other1 RANK X; true"' "$tacho"
check "whatever its rank" same "$(query "select count(attempt) from process" other)" 0
if [ -n "$MPICC_OPENMPI" ]; then
	"$MPICC_OPENMPI" -DWITH_MPI -o anew again.c || exit 99
	check "a job that a script starts anew is recorded" "$tacho" -q record -o job -- sh -c 'until mpirun.openmpi -n 2 ./anew job OMPI_COMM_WORLD_RANK; do :; done'
	check "it is the second attempt, too, though the first one lived longer" same "$(query "select group_concat(rank || ' ' || attempt)
		from process where rank is not null" job)" "0 2,1 2"
fi

check "the other one can be looked at, too" sh -c '"$0" -q merge -f --attempt 1 again && "$0" -q analyze again' "$tacho"
check "with its ranks, and the steps that they came to" same "$(query "select group_concat(rank || ' ' || attempt || ' ' || (select count(*)
	from step s where s.process_id = p.id and not cut)) from process p where rank is not null" again)" "0 1 3,1 1 3"
check "its figures are of its own processes and time" same "$(query "select (select count(*) from attempt a join run_time t
	where a.attempt = 1 and a.is_run and t.attempt = 1 and t.start_ns = a.start_ns and t.ns = a.end_ns - a.start_ns) || ' ' ||
	(select group_concat(name) from (select name from process where attempt = 2 and parent_id is null order by name)) || ' ' ||
	(select count(*) from io_file f join process p on p.id = f.process_id where p.attempt = 2) || ' ' ||
	(select count(distinct ns) from (select sum(ns) as ns from host_time where \"window\" = 'run' and process_id in
	(select id from process where rank is not null) group by process_id union select ns from run_time)) || ' ' ||
	(select count(*) > 0 from socket s join process p on p.id = s.process_id where p.attempt = 2 and bytes_sent > 0) || ' ' ||
	((select sum(bytes) from socket_pair) = (select sum(bytes_sent) from socket s join process p on p.id = s.process_id
	join process q on q.id = s.peer_id where p.rank <> q.rank))" again)" \
	"1 rank 0 of attempt 2,rank 1 of attempt 2 0 1 1 1"
check "one that was not made is told" sh -c '! "$0" -q merge -f --attempt 3 again 2>said && grep -q "attempt 3" said' "$tacho"

# Steps of the program's own stand in the place of DDP's.
cat >marked.py <<-'END'
	import sys

	import torch
	import torch.distributed as dist

	sys.path.insert(0, sys.argv[1])
	import tacho

	dist.init_process_group("gloo")
	model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
	for k in range(5):
	    with tacho.step(k, samples=3):
	        model(torch.ones(3, 16)).sum().backward()
	dist.destroy_process_group()
END
check "a training that marks its steps is recorded" "$tacho" -q record -o marked -- sh ./launch 2 marked.py "$top_srcdir/include"
check "and has those alone, with their samples" same "$(query "select group_concat(n) from (select count(*) || ' ' || sum(samples)
	as n from step group by process_id)" marked)" "5 15,5 15"
plan
