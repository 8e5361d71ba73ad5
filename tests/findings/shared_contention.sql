-- rank 0 has 9 s of work a step and rank 1 has 4, and rank 0 lacks a core for 40 % of its time, rank 1 for 10 %: of what rank 0
-- has more, 90 - 40 s, 0.4 * 90 - 0.1 * 40 are want of a core, 64 % of the 25 s; other programs have the cores
-- expect without_core 33.6 2 ranks of node n1 waited in the run queue
-- expect load_imbalance 25 load imbalance in train: rank 0 has 38 % more work than the average of 2 ranks
-- shares load_imbalance without_core 16
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
update host_time set ns = 40000000000 where process_id = 2 and state = 'useful' and "window" in ('run', 'phase:train');
update host_time set ns = 60000000000 where process_id = 2 and state = 'mpi' and "window" in ('run', 'phase:train');
insert into sample select 1, 1, p.id, s.column1, t.column1, t.column1 * case when p.id = 2 then s.column3 else s.column2 end from process p,
	(values ('proc.core_waited', 0.4, 0.1), ('proc.core_ran', 0.5, 0.5), ('proc.cpu', 0.6, 0.6)) s, (values (0), (1e11)) t;
insert into sample select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.25, '1', null);
