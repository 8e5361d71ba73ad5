-- 100 all-reduces of 1 KiB a step, every other one 40 ms as ranks had no core, the others 0.1 ms: nothing to save
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.3, '1', null);
insert into collective select 1, 'mpi', 0, a.n * 100 + b.n * 10 + c.n, 'allreduce', 1024, 0, 0,
	case c.n % 2 when 0 then 40000000 else 100000 end, 0, null, null, null, null from n a, n b, n c;
