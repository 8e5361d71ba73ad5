-- a rank that is late now and then: no stretch has most of its lateness
-- expect slow_rank 7.4 in 7 steps of 2 stretches since step 0, in compute
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence) values
	(1, 1, 0, 2, 0, 1000000000, 0.2, 2400000000, 'compute', 1, 0.9),
	(1, 1, 6, 9, 1, 1300000000, 0.26, 5000000000, 'compute', 1, 0.9);
