-- MPI_Init takes 4.9 of 10 s: the run is short, and nobody would change a launcher for that
-- expect nothing
update run set duration_ns = 10000000000;
delete from step where n > 0;
delete from host_time where "window" like 'step:%' and "window" <> 'step:0';
update host_time set ns = ns / 10 where "window" not like 'step:%';
update phase set end_ns = 10000000000;
update process set end_ns = 10000000000;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Init', 'mpi', 1, 4.9e9, 4.9e9, 4.9e9 from process;
