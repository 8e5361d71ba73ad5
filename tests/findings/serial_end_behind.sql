-- as serial_end.sql, and rank 0 works on for 30 s when all have left MPI_Finalize: nobody waits for that there
-- expect serial_end 2 late arrival: rank 0 is the last in MPI_Finalize, 4 s after the first: the others
delete from phase;
update step set phase_id = null;
update location set end_ns = 70000000000 + 30000000000 * (process_id = 1);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Finalize', 'mpi', 1, 1e9 + rank * 4e9, 1e9, 5e9 from process;
