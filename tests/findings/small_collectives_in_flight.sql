-- as small_collectives.sql, but ten at a time: ranks are in MPI for 2 s
-- expect small_collectives 1.98 1,000 allreduces of 1.0 kB each, 100 per step
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, a.n * 100 + b.n * 10 + c.n, 'allreduce', 1024, 0, 0, 20000000, 0, null, null, null, null
	from n a, n b, n c;
insert or replace into host_time (run_id, process_id, window, state, ns) select 1, id, 'run', 'mpi', 2000000000 from process;
