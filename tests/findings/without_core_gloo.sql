-- a run without steps, whose ranks lack cores: the one that computes for 90 s is the last, not the one that waits for it in gloo
-- 0.4 * 2.8 / 3 of 90 s outside of communication
-- expect without_core 33.6 2 ranks of node n1 waited for a core for 40 % of their time (24 % of computing and I/O): other programs ran on 2.8 of the 4 cores
delete from step;
delete from phase;
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'run', 'useful', 90e9), (1, 1, 'run', 'gloo', 10e9), (1, 2, 'run', 'useful', 30e9), (1, 2, 'run', 'gloo', 70e9);
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 0.6)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
