-- 9 % of the steps are not worth the trouble
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, n, 'allreduce', 100000000, 0, 0, 900000000, 0, null, null, null, null from n;
