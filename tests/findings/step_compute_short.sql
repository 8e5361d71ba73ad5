-- a rank that computes half as long again for 2 s: a core may be as slow for as long; in 40 s it may not
update run set duration_ns = 2000000000;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'compute', '1', 1, null, 10, 0, 9, 6e8, 12e8, 6e8);
