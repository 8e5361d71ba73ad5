-- as blocked_threads.sql, where ranks had no core for a tenth of the time: so had their threads
-- expect nothing
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.1, '1', null);
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, s.column1, s.column2 * 1e11, s.column3 * 1e9 + case when s.column1 = 'proc.core_ran' and s.column2 then 5e9 * (p.id - 1) else 0 end
	from process p, (values ('proc.core_ran', 0, 1), ('proc.core_ran', 1, 71), ('proc.core_waited', 0, 0), ('proc.core_waited', 1, 5),
		('proc.cpu', 0, 1), ('proc.cpu', 1, 81)) s;
