-- each step writes a file, for 0.6 s, and reads as much back, for 0.4: nobody reads ahead, and writing is for another rule
-- expect exposed_io/writes 6 most to /out/2 (100.0 MB in 10 writes)
-- expect exposed_io/reads 4 4 % of the run
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 8), ('io', 1), ('mpi', 1)) s;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'io', 10000000000 from process;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/out/' || id, 'checkpoint', 20, 10, 10, 100000000, 100000000, 10000000000,
	4000000000, 4000000000, 2000000000, null, 10000000, 10000000, 1 from process;
