-- ranks wait for the lock of a file that all of them write, and rank 0 for a file; the place in a program without Python is the call
-- expect step_wait 30 ranks 0,1 wait in 10 of 10 steps, 3 s each, for a lock of a file (flock), in log() at train.py:14: without this, all steps together
-- expect step_wait 5 rank 0 waits in 10 of 10 steps, 500 ms each, in I/O, in dump() at train.py:20
-- expect step_wait 4.5 rank 1 waits in 10 of 10 steps, 450 ms each, for a lock of a file (flock), in flock
insert into python_frame (id, run_id, function, file, line) values (1, 1, 'log', 'train.py', 14), (2, 1, 'dump', 'train.py', 20);
insert into python_sample (run_id, process_id, location_id, frame_id, state, call, samples, ns) values (1, 1, null, 1, 'io', 'flock', 1400, 28e9),
	(1, 1, null, 1, 'io', 'write', 100, 2e9), (1, 1, null, 2, 'io', 'write', 240, 48e8), (1, 1, null, 2, 'io', 'flock', 10, 2e8);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'io', '0,1', 2, 'log() at train.py:14', 10, 0, 9, 30e9, 70e9, 30e9),
	(1, 2, 'io', '0', 1, 'dump() at train.py:20', 10, 0, 9, 5e9, 65e9, 5e9), (1, 3, 'io', '1', 1, 'flock', 10, 0, 9, 45e8, 605e8, 45e8);
