-- after the last step rank 0 has 12 s more to do, in the phase test; what rank 1 has before its first step is too little
-- expect outside_more/more 6 rank 0 has 12 s more to do than the other ranks after the last step, mostly in phase test: shared among all ranks the time outside of steps would be 9 s instead of 15
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	values (3, 1, 1, 'test', 0, 100000000000, 113000000000, 0), (4, 1, 2, 'test', 0, 100000000000, 113000000000, 0);
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:test', 'useful', 13000000000), (1, 2, 'phase:test', 'useful', 1000000000), (1, 2, 'phase:test', 'mpi', 12000000000);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'more_outside', '0', 1, null, 0, -1, -1, 6e9, 9e9, 6e9), (1, 2, 'more_outside', '1', 1, null, 0, -2, -2, 4e8, 7e8, 4e8);
