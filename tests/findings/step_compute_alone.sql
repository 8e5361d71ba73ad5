-- rank 0 computes 2.5 s in two steps, in a function in which the other never is; rank 1 as long, in one that both are in
-- expect step_compute 5 rank 0 on n1 computes longer than the other ranks in 2 of 10 steps, by 2.5 s each, mostly in extra() at data.py:88
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'compute', '0', 1, null, 2, 3, 7, 5e9, 95e9, 5e9), (1, 2, 'compute', '1', 1, null, 2, 4, 8, 5e9, 90e9, 5e9);
insert into python_frame (id, run_id, caller_id, own_id, function, file, line) values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'extra', '/home/me/data.py', 88);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'communication', 15), (2, 1, 'computing', 66), (1, 1, 'computing', 60), (1, 1, 'import', 31), (2, 1, 'import', 1), (1, 2, 'computing', 5);
insert into python_sample (run_id, process_id, location_id, frame_id, state, call, phase, samples, ns)
	select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
