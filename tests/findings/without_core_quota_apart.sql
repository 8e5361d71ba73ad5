-- the same, in a group each: each was throttled for 16 s of the 40 s that it waited; as one group it would be 16 s of 80
-- expect without_core 20.16 CPU oversubscription: 2 ranks of node n1 waited for a core
-- expect without_core 14.4 CPU quota: 2 ranks of node n1 were throttled for 16 % of their time
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 0.6)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, 1e11, s.column2 from process p,
	(values ('proc.throttled', 1.6e10), ('proc.quota', 1200)) s;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, 'proc.quota_group', 0, p.id from process p;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
