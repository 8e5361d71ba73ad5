-- rank 1 has more to do in each step, and rank 0 works on alone at the end: both cost time
-- expect load_imbalance 25 load imbalance in train: rank 1
-- expect serial_end 2 late arrival: rank 0 is the last in MPI_Finalize, 4 s after the first
update host_time set ns = 4000000000 where process_id = 1 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 1 and state = 'mpi' and "window" like 'step:%';
update location set end_ns = 100000000000;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Finalize', 'mpi', 1, 1e9 + rank * 4e9, 1e9, 5e9 from process;
