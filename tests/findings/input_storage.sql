-- two readers a rank, 90 % busy, in I/O: without waiting a step takes 7 s of the ranks' own time, not 9
-- expect data_loading/storage 20 data-loading stall: the ranks wait 20 % of the run for storage; 2 data-loader workers per rank, busy 90 %, of that 89 % in I/O, most in read
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) values (1, 1, 'read', 'io', 9, 9, 1, 1, 1, 0, 0, 0), (1, 1, 'open', 'io', 9, 8, 1, 1, 1, 0, 0, 0),
	(1, 1, 'fdatasync', 'io', 9, 99, 1, 1, 1, 0, 0, 0);
-- step by step 9 s of rank 0 (5 useful, 4 waiting) and 9 s of rank 1 (7 and 2)
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 4), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 1e9 from location l,
	(values ('io', 80), ('useful', 10), ('wait', 10)) s where not l.is_main;
