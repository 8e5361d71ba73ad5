-- 3 times as slow in half of the steps, where ranks had no core for nine tenths of the time: that needs no cause
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 0, 4, 0, 1000000000, 1.99, 7000000000, 'compute', 1, 0.9);
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.9, '1', null);
