-- rank 1 copies 0.8 s longer in each step, rank 0 in few steps 38 ms: chance
-- expect step_compute 8 rank 1 on n1 transfers or copies longer than the other ranks in 10 of 10 steps, by 0.8 s each, mostly in cudaMemcpyAsync: if it did so no longer than they, all steps together would take 55 s instead of 63
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'calls', '1', 1, 'cudaMemcpyAsync', 10, 0, 9, 8e9, 55e9, 8e9), (1, 2, 'calls', '0', 1, null, 2, 3, 4, 38e6, 54e9, 38e6);
