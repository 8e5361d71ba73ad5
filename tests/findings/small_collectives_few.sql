-- two small all-reduces a step are no trouble, nor are a thousand of a helper thread
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, a.n * 2 + b.n, 'allreduce', 1024, 0, 0, 1000000000, 0, null, null, null, null from n a, n b where b.n < 2;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 1, a.n * 100 + b.n * 10 + c.n, 'allreduce', 1024, 0, 0, 20000000, 0, null, null, null, null
	from n a, n b, n c;
insert into location (id, run_id, process_id, ref, name, kind, nevents) values (3, 1, 1, 3, 'sums', 'cpu_thread', 100);
insert into location_time (run_id, location_id, state, ns) values (1, 3, 'mpi', 20000000000), (1, 1, 'useful', 100000000000);
