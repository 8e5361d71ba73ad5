-- half of each step is I/O, and 70 % of the time ranks have no core: in I/O too, and what both promise of it is shared
-- 0.7 * 2.8 / 3.6 of 90 s, half of it in I/O
-- expect without_core 49 2 ranks of node n1 waited for a core for 70 % of their time
-- expect exposed_io/reads 45 no prefetching
-- shares exposed_io/reads without_core 24.5
delete from host_time where "window" like 'step:%' or "window" = 'run';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 4.5), ('io', 4.5), ('mpi', 1)) s;
update host_time set ns = 45e9 where "window" = 'phase:train' and state = 'useful';
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'io', 45000000000 from process;
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id, 'run', state, ns from host_time where "window" = 'phase:train';
insert into location_time (run_id, location_id, state, ns) select * from main_time;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/' || id, 'dataset', 1, 10, 0, 1000000, 0, 45000000000, 1, 0, 1, null, 100000, 100000, 1 from process;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.7), ('proc.core_ran', 0.2), ('proc.cpu', 0.6)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.7, '1', null);
