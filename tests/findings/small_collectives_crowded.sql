-- 10 all-reduces of 1 KiB a step, every other one 400 ms as ranks had no core, the others 0.1 ms: nothing to save
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.3, '1', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, a.n * 10 + b.n, 'allreduce', 1024, 0, 0,
	case b.n % 2 when 0 then 400000000 else 100000 end, 0, null, null, null, null from n a, n b;
