-- 10 all-reduces of 1 KiB a step, every other one 400 ms as ranks had no core, the others 0.1 ms: nothing to save
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.3, '1', null);
insert into collective select 1, 'mpi', 0, a.n * 10 + b.n, 'allreduce', 1024, 0, 0,
	case b.n % 2 when 0 then 400000000 else 100000 end, 0, null, null, null, null from n a, n b;
