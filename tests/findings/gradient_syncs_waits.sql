-- the same, but ranks wait for each other in most of that time: the 80 all-reduces take 50 ms each once the last rank has come
-- expect gradient_syncs 3 gradients are exchanged 4.0 times per step of the optimizer, 50 ms each
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'torch:DDP.finalize_backward', 'gloo', 80, 12e9, 0, 1e9 from process where rank is not null;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'torch:optimizer', 'user', 20, 1e9, 0, 1e9 from process where rank is not null;
insert into communicator (run_id, kind, id, name, size) values (1, 'gloo', 7, 'default group', 2);
with recursive n(n) as (select 1 union all select n + 1 from n where n < 80)
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'gloo', 7, n, 'allreduce', 9488000, 0, 100000000, 150000000, 0, null, null, null, null from n;
