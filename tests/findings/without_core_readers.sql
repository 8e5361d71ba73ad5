-- the same, and half of them and more are readers
-- expect without_core 36 fewer data-loader workers per rank
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 2.0)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 + id, 1, id, 10 + id, 'reader', 'cpu_thread', 10, 1000000 from process;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, 'useful', 80e9 from location l where not l.is_main;
