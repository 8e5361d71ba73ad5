-- what persistent requests sum goes on while the program computes, as MPI_Iallreduce's sums do
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, n, 'allreduce', 100000000, 0, 0, 1500000000, 0, null, null, null, null from n;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, 1, name, 'mpi', 1, 1000, 1000, 1000, 1000, 0, null, null from (select 'MPI_Allreduce_init' as name union select 'MPI_Start');
