-- 10,000 files of 64 KiB, each read by one call: they are small as well, and larger reads of one are no help
-- expect exposed_io/reads 8 no prefetching: the main threads read between
-- expect exposed_io/small_reads 7.75 keep these open
-- shares exposed_io/small_reads exposed_io/reads 7.75
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/' || id, 'dataset', 5000, 5000, 0, 327680000, 0, 8000000000, 1, 0, 1, null, 65536, 65536, 1 from process;
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 8), ('io', 1), ('mpi', 1)) s;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'io', 10000000000 from process;
insert into location_time (run_id, location_id, state, ns) select * from main_time;
