-- as serialisation.sql with 91.9 s on an ideal network: 9.9 % is not enough
-- expect nothing
update host_time set ns = 80000000000 where "window" = 'run' and state = 'useful';
update host_time set ns = 20000000000 where "window" = 'run' and state = 'mpi';
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'mpi', 'ideal_network_runtime', '', 91.9e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, p.id, column1, 'mpi', 1, 1e9, 1e9, 1e9 from process p, (values ('MPI_Init_thread'), ('MPI_Finalize'));
