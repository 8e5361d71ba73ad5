-- rank 0 is in MPI_Finalize for 1 s and rank 1 for 5: 4 s of rank 0 alone, 2 for each of them
-- expect serial_end 2 late arrival: rank 0 is the last in MPI_Finalize, 4 s after the first, most of them in phase train
update location set end_ns = 100000000000;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Finalize', 'mpi', 1, 1e9 + rank * 4e9, 1e9, 5e9 from process;
