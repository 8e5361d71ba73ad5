-- rank 1 has ten times as much to test as rank 0, which has some: that is uneven, not serial
-- expect outside_more/more 9 rank 1 has 18 s more to do than the other ranks outside of steps, mostly in phase test
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'test', 0, 0, 20000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:test', 'useful', 2000000000), (1, 1, 'phase:test', 'mpi', 18000000000),
	(1, 2, 'phase:test', 'useful', 20000000000);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values (1, 1, 'more_outside', '1', 1, null, 0, -2, -2, 9e9, 11e9, 9e9);
