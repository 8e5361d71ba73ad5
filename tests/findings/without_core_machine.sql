-- four ranks on two nodes that are one machine of four cores: other programs ran on 1 of them, the own threads on 1; each
-- node reports all cores, of which the other node's ranks have some
-- expect without_core 18 2 ranks of node n1 (and of 1 more) waited for a core for 40 % of their time (36 % of computing and I/O): other programs ran on 1.0 of the 4 cores of a machine that 2 nodes of the run share
-- expect without_core 18 other threads of the training ran on 1.0 of the 4 cores of a machine that 2 nodes of the run share
insert into node (id, run_id, hostname, clock_residual_ns) values (2, 1, 'n2', 1);
update node set clock_residual_ns = 1;
insert into environment (run_id, scope, key, value)
	values (1, 'node:n1', 'boot_id', 'b'), (1, 'node:n2', 'boot_id', 'b'), (1, 'node:n2', 'cores', '4');
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select id + 2, 1, 2, rank + 2, 12, null, 'rank', affinity, 'finished', 0, 100000000000 from process;
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id + 2, "window", state, ns from host_time;
insert into step (run_id, process_id, n, phase_id, start_ns, end_ns) select 1, process_id + 2, n, phase_id, start_ns, end_ns from step;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, p.node_id, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 0.75)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, d.id, null, s.column1, t.column1, t.column1 * s.column2 from node d,
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'counters', 'without_core', 'node:' || hostname, 0.4, '1', null from node;
