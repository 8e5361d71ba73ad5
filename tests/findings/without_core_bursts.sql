-- eight ranks on four cores that were idle for half of the time: they want theirs at once, and nothing is reported of a limit
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select id + 2 * n, 1, 1, rank + 2 * n, 12, null, 'rank', affinity, 'finished', 0, 100000000000 from process, n where n between 1 and 3;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id + 2 * n, "window", state, ns from host_time, n where n between 1 and 3;
update host_time set ns = ns * 4 / 9 where state = 'useful';
insert into host_time (run_id, process_id, window, state, ns)
	select run_id, process_id, "window", 'wait', ns * 5 / 4 from host_time where state = 'useful';
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.2), ('proc.core_ran', 0.2), ('proc.cpu', 0.2)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 1.8), ('cpu.system', 0.1), ('cpu.idle', 2.1)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.2, '1', null);
