-- rank 0 waits 12 s in a barrier before step 2, the first one, and in another 0.5 s the other way round: 6 for each of them
-- expect late_start 6 late arrival: rank 1 reaches the first step late: the other waits 12 s for it, most of that in one barrier
delete from step where n < 2;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 1000000000, 13000000000, 13000000000, 1), (1, 'mpi', 0, 1, 'bcast', 8, 14000000000, 14500000000, 14500000000, 0),
	(1, 'mpi', 0, 2, 'allreduce', 8, 25000000000, 28000000000, 28000000000, 1);
insert into collective_rank values (1, 'mpi', 0, 0, 'barrier', 1, 12000000000, 0), (1, 'mpi', 0, 1, 'barrier', 1, 0, 0),
	(1, 'mpi', 0, 0, 'allreduce', 1, 3000000000, 0), (1, 'mpi', 0, 1, 'bcast', 1, 500000000, 0);
update step set waited_ns = case when process_id = 1 and n = 3 then 3000000000 else 0 end;
