-- the same, and they compute for a sixth of the time that they do not sleep: a sixth of what they waited, 40 s, was there
-- 0.4 * 100 / 60 of 1 s by step, 1.8 / 1.9 of it for others
-- expect without_core 6.3157894737 the rank of node n1 (and of 1 more) waited for a core for 40 % of its time (7 % of computing and I/O): other programs ran on 1.8 of the 2 cores
insert into node (id, run_id, hostname, clock_residual_ns) values (2, 1, 'n2', 1);
update node set clock_residual_ns = 1;
insert into environment (run_id, scope, key, value) values (1, 'node:n2', 'cores', '4');
update process set node_id = id;
delete from host_time where "window" like 'step:%' or "window" = 'run';
insert into host_time (run_id, process_id, window, state, ns)
	select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p, (values ('wait', 4), ('useful', 1), ('mpi', 5)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, p.id, 'run', s.column1, s.column2 * 1e9 from process p, (values ('wait', 40), ('useful', 10), ('mpi', 50)) s;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, p.id, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.1), ('proc.cpu', 0.2)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, d.id, null, s.column1, t.column1, t.column1 * s.column2 from node d,
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'counters', 'without_core', 'node:' || hostname, 0.4, '1', null from node;
