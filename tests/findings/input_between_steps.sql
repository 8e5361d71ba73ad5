-- a second of I/O of the main threads in each of ten steps, and nobody reads ahead
-- expect exposed_io/reads 10 no prefetching: the main threads read between their computing, 10 % of the run
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 8), ('io', 1), ('mpi', 1)) s;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'io', 10000000000 from process;
insert into location_time (run_id, location_id, state, ns) select * from main_time;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/' || id, 'dataset', 1, 10, 0, 1000000, 0, 10000000000, 1, 0, 1, null, 100000, 100000, 1 from process;
