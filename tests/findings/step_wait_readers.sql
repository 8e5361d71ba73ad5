-- readers that wait for a server, of which no line is known; and below a twentieth of the steps nothing
-- expect step_wait 32 ranks 0,1 wait in 10 of 10 steps, 3.6 s each, for data-loader workers: without this, all steps together would take 68 s instead of 100
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'readers', '0,1', 2, null, 10, 0, 9, 36e9, 68e9, 32e9), (1, 2, 'readers', '1', 1, 'load() at data.py:7', 10, 0, 9, 3e9, 65e9, 3e9);
