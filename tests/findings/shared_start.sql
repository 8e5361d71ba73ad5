-- before the first step rank 1 loads for 12 s and rank 0 for 4, and waits 8 s for it in a barrier: half of these are lost, once
-- expect outside_more/more 5 rank 1 has 10 s more to do than the other ranks outside of steps, mostly in phase load: shared
delete from step where n < 2;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	values (3, 1, 1, 'load', 0, 1000000000, 5000000000, 0), (4, 1, 2, 'load', 0, 1000000000, 13000000000, 0);
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:load', 'useful', 4000000000), (1, 2, 'phase:load', 'useful', 12000000000);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 5000000000, 13000000000, 13000000000, 1),
	(1, 'mpi', 0, 1, 'bcast', 8, 14000000000, 16000000000, 16000000000, 1);
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
	values (1, 'mpi', 0, 0, 'barrier', 1, 8000000000, 0), (1, 'mpi', 0, 0, 'bcast', 1, 2000000000, 0);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values (1, 1, 'more_outside', '1', 1, null, 0, -2, -2, 5e9, 9e9, 5e9);
