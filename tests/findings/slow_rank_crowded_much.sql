-- in eight of ten steps, or by more than that, it has one of its own
-- expect slow_rank 7 rank 1 on n1 is 3 times as slow
-- expect slow_rank 5 rank 0 on n1 is 5 times as slow
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 0, 7, 0, 1000000000, 2, 7000000000, 'compute', 1, 0.9), (1, 0, 5, 9, 1, 1000000000, 4, 7000000000, 'compute', 1, 0.9);
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.9, '1', null);
