-- each rank and all its threads are bound to one core of four, of which others are idle
-- expect without_core 36 other threads of the training ran on 1.0 of the 2 cores that it may use of 4
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 1.0)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 1.9), ('cpu.system', 0.3), ('cpu.idle', 1.8)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
update process set affinity = id;
