-- the same, and rank 0 is slow: of the 10 s that it takes longer it had no core for 5, which no core gives back twice
-- expect step_compute 10 rank 0 on n1 computes longer than the other ranks in 10 of 10 steps, by 1 s each
-- expect without_core 4 (32 % of computing and I/O; rank 0: 60 %)
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.1), ('proc.core_ran', 0.5), ('proc.cpu', 0.5)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 4), ('cpu.system', 0), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.1, '1', null);
update sample set value = 6e10 where process_id = 1 and name = 'proc.core_waited' and t_ns > 0;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence, late_ns,
	compute_ns, contention_ns) values (1, 0, 0, 9, 1, 1000000000, 0.5, 10000000000, 'compute', 1, 0.9, 10000000000, 5000000000, 5000000000);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'compute', '0', 1, null, 10, 0, 9, 10e9, 15e9, 10e9);
