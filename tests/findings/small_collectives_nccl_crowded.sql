-- 10 of NCCL a step, 0.1 ms each and each 20 us after the one before, but every other one waits 400 ms for a rank that had no core
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.3, '1', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, a.n * 10 + b.n * 2 + late, 'allreduce', 1024, a.n * 10000000000 + b.n * 400240000 + late * 120000,
	a.n * 10000000000 + b.n * 400240000 + late * 400120000, a.n * 10000000000 + b.n * 400240000 + late * 400120000 + 100000,
	0, null, null, null, null from n a, n b, (select 0 as late union all select 1) where b.n < 5;
