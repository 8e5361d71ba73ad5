-- no line is known: rank 0 computes 6 s in each of two steps, which is no accident; rank 1 once
-- expect step_compute 12 if it can be divided among the ranks, as a validation can, that would save 6 s
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'compute', '0', 1, null, 2, 3, 7, 12e9, 88e9, 12e9), (1, 2, 'compute', '1', 1, null, 1, 4, 4, 12e9, 76e9, 12e9);
