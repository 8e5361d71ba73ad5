-- rank 0 has more to do in each step, and rank 1 is waited for before the first: who waits for one does not for the other
-- expect load_imbalance 20 load imbalance in train: rank 0
-- expect late_start 6 late arrival: rank 1 reaches the first step late
delete from step where n < 2;
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 1000000000, 13000000000, 13000000000, 1);
insert into collective_rank values (1, 'mpi', 0, 0, 'barrier', 1, 12000000000, 0);
update step set waited_ns = 0;
