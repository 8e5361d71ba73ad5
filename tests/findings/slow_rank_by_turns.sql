-- as slow_rank.sql, but the sums of 12 ranges of steps are such that chance has as much in a fifth of the cases: medium confidence
-- expect slow_rank 7 by the measured waits of the others; neighbouring steps share what makes them long: of 12 ranges of steps chance alone has as much with p = 0.2
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'compute', 1, 0.9);
insert into noise (run_id, rank, quantity, steps, p) values (1, 1, 'own', 10, 0.2);
