-- two ranks on one core take turns: only pinning reports it, though their other threads run for a moment
-- expect pinning/cores 55 2 ranks on node n1 share 1 of its 4 cores
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.5), ('proc.core_ran', 0.5), ('proc.cpu', 0.51)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 1.0), ('cpu.system', 0.1), ('cpu.idle', 2.9)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.5, '1', null);
update process set affinity = '3';
