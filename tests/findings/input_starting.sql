-- a reading child a rank in each of three epochs; 6, 8 and 7 s pass until its first sample, 5 s on rank 1
-- (the second of which is limited to what it was busy), so 10 of them are for starting again
-- expect data_loading/starting 10 started 3 times, and each time it takes 5 s
-- expect data_loading/preparing 5 for samples to be prepared
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 7), (1, 'wait', 2), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
create temp table child(id, parent, start, first);
insert into child values (11, 1, 0, 6), (12, 1, 30, 38), (13, 1, 60, 67), (21, 2, 0, 5), (22, 2, 30, 55), (23, 2, 60, 65);
insert into process (id, run_id, node_id, pid, parent_id, name, end, start_ns, end_ns, first_sample_ns)
	select id, 1, 1, id, parent, 'rank ' || (parent - 1) || ' child ' || id, 'finished', start * 1e9, (start + 29) * 1e9, first * 1e9 from child;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, bytes_read)
	select id, 1, id, id, 'main', 'cpu_thread', 1, 10, 1000000 from child;
insert into location_time (run_id, location_id, state, ns) select 1, id, s.column1, s.column2 * 1e9 from child,
	(values ('io', 1), ('useful', 24), ('wait', 4)) s where id <> 22;
insert into location_time (run_id, location_id, state, ns) values (1, 22, 'io', 0), (1, 22, 'useful', 5e9), (1, 22, 'wait', 24e9);
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, 'data', 'dataset', 1, 1, 0, 1000000, 0, 1, 1, 0, 0, null, null, null, 1 from child;
