-- 9 % slower, slow for a few steps, or perhaps slow: no finding
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 0, 9, 1, 1000000000, 0.09, 7000000000, 'compute', 1, 0.9),
	(1, 0, 4, 5, 0, 1000000000, 0.5, 7000000000, 'io', 1, 0.9);
