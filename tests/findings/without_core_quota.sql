-- ranks want a core and have none for 40 % of their time: both together 80 s in 100, of which the kernel throttled their
-- group 40 s. 0.4 * 0.5 of 9 s outside of MPI, ten times; of the rest 2.8 / 3 had other programs
-- expect without_core 18 CPU quota: 2 ranks of node n1 were throttled for 20 % of their time (18 % of computing and I/O): the control group may use 1.20 of the 4 cores
-- expect without_core 16.8 2 ranks of node n1 waited for a core for 20 % of their time (18 % of computing and I/O): other programs ran on 2.8 of the 4 cores
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 0.6), ('proc.throttled', 0.4)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, s.column1, 0, s.column2 from process p, (values ('proc.quota', 1200), ('proc.quota_group', 7)) s;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
