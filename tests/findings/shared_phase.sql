-- rank 1 validates for 24 s and rank 0 for 12: half of the time of the phase would do, and 6 s of it are for rank 1, of which
-- the one may well be a part of the other
-- expect validation_share 12 validate takes
-- expect outside_more/more 6 rank 1 has 12 s more to do than the other ranks outside of steps, mostly in phase validate
-- shares outside_more/more validation_share 6
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select 10 * n + id, 1, id, 'validate', n, n * 20000000000, n * 20000000000 + 12000000000, 0 from process, n where n in (1, 2);
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:validate', 'useful', 12000000000), (1, 1, 'phase:validate', 'mpi', 12000000000), (1, 2, 'phase:validate', 'useful', 24000000000);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values (1, 1, 'more_outside', '1', 1, null, 0, -2, -2, 6e9, 18e9, 6e9);
