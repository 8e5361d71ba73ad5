-- both ranks wait for a program that they start in each step, then rank 0 for a lock file; a wait below 1 % is left out
-- expect step_wait 30 ranks 0,1 wait in 10 of 10 steps, 3 s each, in run_tool() at train.py:9: without this, all steps together would take 70 s instead of 100
-- expect step_wait 5 rank 0 waits in 10 of 10 steps, 500 ms each, in I/O, in lock() at train.py:12
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'wait', '0,1', 2, 'run_tool() at train.py:9', 10, 0, 9, 30e9, 70e9, 30e9),
	(1, 2, 'io', '0', 1, 'lock() at train.py:12', 10, 0, 9, 5e9, 65e9, 5e9),
	(1, 3, 'wait', '1', 1, 'flush() at train.py:20', 10, 0, 9, 5e8, 645e8, 5e8),
	(1, 4, 'wait', '1', 1, null, 10, 0, 9, 5e9, 60e9, 45e8);
