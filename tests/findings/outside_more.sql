-- rank 1 has 14 s more to do after its last step; rank 0 has 0.9 s before its first, as ranks may
-- expect outside_more/more 12 rank 1 has 28 s more to do than the other ranks after the last step: shared among all ranks the time outside of steps would be 3 s instead of 15
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'more_outside', '1', 1, null, 0, -1, -1, 14e9, 3e9, 12e9), (1, 2, 'more_outside', '0', 1, null, 0, -2, -2, 1e9, 2.1e9, 0.9e9);
