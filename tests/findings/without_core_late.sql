-- ranks were stopped for the first 80 s, before their counters were read at all: in the 20 s after that they had no core
-- for 16 s, which is 16 % of their time, not 80 %: 0.16 of 9 s outside of MPI, ten times
-- expect without_core 14.4 2 ranks of node n1 waited for a core for 16 % of their time
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, s.column1, t.column1, s.column2 * (t.column1 - 8e10) / 2e10 from process p,
	(values ('proc.core_waited', 1.6e10), ('proc.core_ran', 4e9), ('proc.cpu', 4e9)) s, (values (8.1e10), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 2.88), ('cpu.system', 0.0), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'counters', 'without_core', 'node:n1', 0.16, '1', null);
