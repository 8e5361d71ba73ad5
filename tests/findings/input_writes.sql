-- the main threads' I/O of a second in each of ten steps is nearly all to a log that they write; half a second is what they read
-- expect exposed_io/writes 9.5 most to /out/
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 8), ('io', 1), ('mpi', 1)) s;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'io', 10000000000 from process;
insert into location_time (run_id, location_id, state, ns) select * from main_time;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/out/' || id, 'log', 1, 0, 10, 0, 1000000, 9500000000, 0, 1, 0, null, 100000, 100000, 1 from process;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/' || id, 'dataset', 1, 10, 0, 1000000, 0, 500000000, 1, 0, 1, null, 100000, 100000, 1 from process;
