-- the last checkpoint is rank 0's, while the others are in MPI_Finalize: that is reported as checkpoints, and once
-- expect checkpoint/all 4 all ranks wait 4 s for 1 checkpoint
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) values (10, 1, 1, 'checkpoint', 0, 95000000000, 99000000000, 0);
update location set end_ns = 100000000000;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Finalize', 'mpi', 1, 1e9 + rank * 4e9, 1e9, 5e9 from process;
