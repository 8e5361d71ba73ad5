-- as slow_rank_alone.sql, but rank 0 has written as much, a hundred times as fast
-- expect slow_rank 7 check node n1: its disk and mounts
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'io', 1, 0.9);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'write', 'io', 8, case rank when 1 then 8000000000 else 80000000 end, 1, 1, 1, 0, 8000000000, 0 from process;
