-- rank 1 is 1 s slower in eight steps, and rank 0 waited 7 s for it in all
-- expect slow_rank 7 rank 1 on n1 is 20 % slower since step 2, in compute: the other waited 7 s for it
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'compute', 1, 0.9);
