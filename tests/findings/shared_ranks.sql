-- rank 0 has more to do in each step, and rank 1 is waited for before the first: who waits for one does not for the other
-- expect step_compute 20 rank 0 on n1 computes longer than the other ranks in
-- expect outside_more/more 6 rank 1 has 12 s more to do than the other ranks before the first step
delete from step where n < 2;
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 1000000000, 13000000000, 13000000000, 1);
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns) values (1, 'mpi', 0, 0, 'barrier', 1, 12000000000, 0);
update step set waited_ns = 0;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values (1, 1, 'more_outside', '1', 1, null, 0, -2, -2, 6e9, 9e9, 6e9),
	(1, 2, 'compute', '0', 1, null, 8, 2, 9, 40e9, 32e9, 20e9);
