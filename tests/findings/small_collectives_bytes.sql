-- 100 all-reduces of 32 KiB a step take 40 ms each, and one of 1 MiB 0.64 s: 20 ms of each are for its bytes
-- expect small_collectives 19.8 1,000 allreduces of 32.8 kB each, 100 per step
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, a.n * 100 + b.n * 10 + c.n, 'allreduce', 32768, 0, 0, 40000000, 0, null, null, null, null
	from n a, n b, n c;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	values (1, 'mpi', 0, 1000, 'allreduce', 1048576, 0, 0, 640000000, 0, null, null, null, null);
insert or replace into host_time (run_id, process_id, window, state, ns) select 1, id, 'run', 'mpi', 40640000000 from process;
