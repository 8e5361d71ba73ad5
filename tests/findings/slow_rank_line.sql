-- as slow_rank, and rank 1 was 8 s longer than rank 0 in a function, 6 s of it in one of its lines
-- expect slow_rank 7 in compute: the other waited 7 s for it, mostly in collate() at data.py:88
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'compute', 1, 0.9);
insert into python_frame values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'collate', '/home/me/data.py', 88),
	(3, 1, 1, 3, 'collate', '/home/me/data.py', 86);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'communication', 15), (1, 2, 'computing', 3), (1, 3, 'computing', 2),
	(2, 1, 'communication', 4), (2, 2, 'computing', 9), (2, 3, 'computing', 4);
insert into python_sample select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
