-- as late_start.sql, of a broadcast from rank 0, that goes on without rank 1
-- expect nothing
delete from step where n < 2;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'bcast', 8, 1000000000, 13000000000, 13000000000, 1);
insert into collective_rank values (1, 'mpi', 0, 0, 'bcast', 1, 0, 0), (1, 'mpi', 0, 1, 'bcast', 1, 0, 0);
