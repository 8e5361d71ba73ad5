-- writing a checkpoint in a phase of its own is for another rule, that of a second thread delays nobody, and a socket is no file
-- expect checkpoint/all 1.9 all ranks wait 2 s for 1 checkpoint
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 8), ('io', 1), ('mpi', 1)) s;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select 10 + id, 1, id, 'checkpoint', 0, 0, 2000000000, 0 from process;
insert into location (id, run_id, process_id, ref, name, kind, nevents) select 10 + id, 1, id, 10 + id, 'writer', 'cpu_thread', 10 from process;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, 'io', 20e9 from location l where not l.is_main;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/out/state', 'checkpoint', 1, 0, 10, 0, 100000000, 2000000000, 0, 2000000000, 0, null, 100000, 100000, 1 from process;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/out/log', 'log', 1, 0, 10, 0, 1000000, 20000000000, 0, 20000000000, 0, null, 100000, 100000, 1 from process;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, 'socket:[1]', 'other', 1, 20, 10, 5000, 4000, 9000000000, 4000000000, 5000000000, 0, null, 100, 100, 1 from process;
