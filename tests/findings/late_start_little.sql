-- 9.8 s of rank 0, 4.9 for each
-- expect nothing
delete from step where n < 2;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 1000000000, 10800000000, 10800000000, 1);
insert into collective_rank values (1, 'mpi', 0, 0, 'barrier', 1, 9800000000, 0), (1, 'mpi', 0, 1, 'barrier', 1, 0, 0);
