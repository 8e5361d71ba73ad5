-- two nodes read the same 2 GB from storage that they share, in large blocks
-- expect exposed_io/reads 8 no prefetching: the main threads read between
-- expect exposed_io/same_files 5 all 2 nodes read the same 1 files, 4.00 GB together
-- shares exposed_io/same_files exposed_io/reads 5
insert into node (id, run_id, hostname, clock_residual_ns) values (2, 1, 'n2', 100);
update node set clock_residual_ns = 100;
update process set node_id = 2 where id = 2;
insert into environment (run_id, scope, key, value) values (1, 'node:n2', 'cores', '4');
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/all', 'dataset', 1, 2000, 0, 2000000000, 0, 8000000000, 1, 0, 1, null, 1000000, 1000000, 1 from process;
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 8), ('io', 1), ('mpi', 1)) s;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'io', 10000000000 from process;
insert into location_time (run_id, location_id, state, ns) select * from main_time;
