-- rank 1 computes longer in 3 of 10 steps, which a test of all its steps calls no chance; what rank 0 has as often may be
-- expect step_compute 12 rank 1 on n1 computes longer than the other ranks in 3 of 10 steps, by 4 s each, mostly in collate() at data.py:88: if it computed no longer than they, all steps together would take 60 s instead of 72
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'compute', '1', 1, null, 3, 1, 9, 12e9, 60e9, 12e9), (1, 2, 'compute', '0', 1, null, 3, 3, 4, 5e8, 4e8, 5e8);
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 7, 9, 1, 4000000000, 0.2, 12000000000, 'compute', 1, 0.9);
insert into python_frame (id, run_id, caller_id, own_id, function, file, line) values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'collate', '/home/me/data.py', 88),
	(3, 1, 1, 3, 'collate', '/home/me/data.py', 86);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'communication', 15), (1, 2, 'computing', 3), (1, 3, 'computing', 2),
	(2, 1, 'communication', 4), (2, 2, 'computing', 9), (2, 3, 'computing', 4);
insert into python_sample (run_id, process_id, location_id, frame_id, state, call, phase, samples, ns)
	select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
