-- the same, and the main threads waited 10 s for cores; four fifths of what ran were readers
-- expect data_loading/preparing 28 for samples to be prepared; 2 data-loader workers per rank, busy 90 %, of that 89 % computing
-- step by step 9 s of rank 0 (5 useful, 4 waiting) and 9 s of rank 1 (7 and 2)
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 4), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 1e9 from location l,
	(values ('io', 10), ('useful', 80), ('wait', 10)) s where not l.is_main;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.2, '1', null);
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, null, 'cpu.user', 0, 5e9), (1, 1, null, 'cpu.user', 1e11, 305e9), (1, 1, null, 'cpu.system', 0, 0),
	(1, 1, null, 'cpu.system', 1e11, 20e9), (1, 1, null, 'cpu.idle', 0, 0), (1, 1, null, 'cpu.idle', 1e11, 80e9);
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, 1, 'proc.core_waited', 0, 0), (1, 1, 1, 'proc.core_waited', 1e11, 12e9), (1, 1, 2, 'proc.core_waited', 0, 0),
	(1, 1, 2, 'proc.core_waited', 1e11, 8e9);
