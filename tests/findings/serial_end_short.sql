-- a run of 10 s, at whose end rank 1 waits 0.24 s for rank 0: more than 1 % of it, and an end like any other
-- expect nothing
update run set duration_ns = 10000000000;
update process set end_ns = 10000000000;
delete from step;
delete from phase;
delete from host_time;
insert into host_time select 1, id, 'run', 'useful', 9000000000 from process;
insert into host_time select 1, id, 'run', 'mpi', 1000000000 from process;
update location set end_ns = 10000000000;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Finalize', 'mpi', 1, 1e7 + rank * 0.24e9, 1e7, 5e9 from process;
