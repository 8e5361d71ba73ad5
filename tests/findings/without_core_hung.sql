-- a run that was truncated, in which ranks of one node polled in MPI for who never came: a core would have changed nothing
-- expect quality 0 the run was truncated
update run set cut = 1;
update process set end = 'killed';
delete from host_time where "window" like 'step:%' or "window" = 'run';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, 'mpi', 10000000000 from n, process p;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'run', 'mpi', 100000000000 from process;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 0.6)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
