-- an all-reduce of 100 MB a step moves data for 1.5 s while nothing is computed: cut in four the last quarter stays
-- expect exposed_communication/mpi 11.25 10 all-reduces of 100.0 MB move data for 15 % of the steps
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, n, 'allreduce', 100000000, 0, 0, 1500000000, 0, null, null, null, null from n;
