-- rank 1 waits longer in each of 20 steps, 2 s in all, and had its core: that may be its machine's, and is reported with low confidence
-- expect slow_rank 0.8 rank 1 on n1 is 50 % slower since step 0, in its own computing on the host: the other waited 0.8 s for it
update run set duration_ns = 2000000000;
update process set end_ns = 2000000000;
delete from host_time;
delete from step;
update phase set end_ns = 2000000000;
insert into step (run_id, process_id, n, phase_id, start_ns, end_ns) select 1, p.id, 10 * m.n + n.n, p.id, (10 * m.n + n.n) * 1e8, (10 * m.n + n.n + 1) * 1e8 from n m, n, process p where m.n < 2;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 0, 19, 1, 40000000, 0.5, 800000000, 'host', 1, 0.9);
