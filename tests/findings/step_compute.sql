-- rank 1 computes longer in 8 of 10 steps, which the ladder knows; rank 0 in two, which comes and goes
-- expect step_compute 12 rank 1 on n1 computes longer than the other ranks in 8 of 10 steps, by 2.5 s each: if it computed no longer than they, all steps together would take 60 s instead of 72
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'compute', '1', 1, null, 8, 1, 9, 20e9, 60e9, 12e9), (1, 2, 'compute', '0', 1, null, 2, 3, 4, 38e7, 4e8, 38e7);
