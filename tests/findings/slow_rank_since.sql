-- as slow_rank.sql, but rank 1 was late in its first two steps by chance, too: of what is nearly all of its lateness alone is told
-- expect slow_rank 7 rank 1 on n1 is 20 % slower since step 2, in compute: the other waited 7 s for it
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence) values
	(1, 1, 0, 1, 0, 200000000, 0.04, 400000000, 'compute', 1, 0.9),
	(1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'compute', 1, 0.9);
