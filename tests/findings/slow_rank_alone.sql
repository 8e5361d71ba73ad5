-- rank 1 writes for 1 s in each of eight steps, and nobody else but at the start: that is no matter of its disk
-- expect slow_rank 7 rank 1 on n1 is 20 % slower since step 2, in I/O that no other rank does: the other waited 7 s for it
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'io', 1, 0.9);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) values (1, 2, 'write', 'io', 8, 8000000000, 1, 1, 1, 0, 8000000000, 0), (1, 1, 'read', 'io', 20, 1000000, 1, 1, 1, 0, 0, 4096);
