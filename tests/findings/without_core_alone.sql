-- the same without a straggler: of the 10 s it had no core for the share of its own time, 6 s
-- expect step_compute 10 rank 0 on n1 computes longer than the other ranks in 10 of 10 steps, by 1 s each
-- expect without_core 3 (32 % of computing and I/O; rank 0: 60 %)
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.1), ('proc.core_ran', 0.5), ('proc.cpu', 0.5)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 4), ('cpu.system', 0), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.1, '1', null);
update sample set value = 6e10 where process_id = 1 and name = 'proc.core_waited' and t_ns > 0;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'compute', '0', 1, null, 10, 0, 9, 10e9, 15e9, 10e9);
