-- two workers a rank that a child of it started, 90 % busy, computing
-- expect data_loading/preparing 20 2 data-loader workers per rank, busy 90 %, of that 89 % computing
-- step by step 9 s of rank 0 (5 useful, 4 waiting) and 9 s of rank 1 (7 and 2)
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 4), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
insert into process (id, run_id, node_id, parent_id, name, end, start_ns, end_ns)
	select 10 + id, 1, 1, id, 'server', 'finished', 0, 100e9 from process;
insert into process (id, run_id, node_id, parent_id, name, end, start_ns, end_ns)
	select 10 * p.id + n, 1, 1, p.id, 'worker', 'finished', 0, 100e9 from process p, n where p.rank is null and n < 2;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, bytes_read)
	select 10 + id, 1, id, 10 + id, 'main', 'cpu_thread', 1, 10, 1000000 from process where name = 'worker';
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 1e10 from location l,
	(values ('io', 1), ('useful', 8), ('wait', 1)) s where process_id > 100;
