-- as small_collectives_bytes.sql, without the large one: what moving their bytes takes is not known
-- expect small_collectives 2.574 1,000 allreduces of 32.8 kB each, 100 per step
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, a.n * 100 + b.n * 10 + c.n, 'allreduce', 32768, 0, 0, 2600000, 0, null, null, null, null
	from n a, n b, n c;
insert or replace into host_time (run_id, process_id, window, state, ns) select 1, id, 'run', 'mpi', 2600000000 from process;
