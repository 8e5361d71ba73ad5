-- ranks of one node spin in MPI nearly all the time, without a core for 77 % of it: who waits for others saves nothing by one
-- 0.77 * 0.5 s of each step, 2.8 / 3 of it for others; and half of the run's time is not in detail, which is nobody's work
-- expect without_core 3.5933333333 waited for a core for 77 % of their time (4 % of computing and I/O): other programs ran on 2.8 of the 4 cores
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 0.1), ('io', 0.4), ('mpi', 9.5), ('not_in_detail', 10)) s;
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'run', s.column1, s.column2 * 1e9 from process p,
	(values ('useful', 1), ('io', 4), ('mpi', 95), ('not_in_detail', 100)) s;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.77), ('proc.core_ran', 0.2), ('proc.cpu', 0.3)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.2), ('cpu.system', 0.2), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'counters', 'without_core', 'node:n1', 0.77, '1', null);
