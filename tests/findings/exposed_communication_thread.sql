-- what a helper thread sums is not exposed
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, n, 'allreduce', 100000000, 0, 0, 1500000000, 0, null, null, null, null from n;
insert into location (id, run_id, process_id, ref, name, kind, nevents) values (3, 1, 1, 3, 'sums', 'cpu_thread', 100);
insert into location_time (run_id, location_id, state, ns) values (1, 3, 'mpi', 15000000000);
