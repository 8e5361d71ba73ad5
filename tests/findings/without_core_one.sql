-- one rank for most of its time, so that parts would last as long as the other's: 9 s less 0.9 of them
-- expect without_core 9 (32 % of computing and I/O; rank 0: 60 %)
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.1), ('proc.core_ran', 0.5), ('proc.cpu', 0.5)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 4), ('cpu.system', 0), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.1, '1', null);
update sample set value = 6e10 where process_id = 1 and name = 'proc.core_waited' and t_ns > 0;
