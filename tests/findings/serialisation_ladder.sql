-- as serialisation.sql, and ranks sleep by turns: of the 14 s that the replay has beyond who works longest 10 are told by the
-- ladder, 20 s that two ranks have 10 s each of; 4 are below what is reported
-- expect step_wait/sleep 20 ranks 0,1 sleep in 10 of 10 steps
update host_time set ns = 80000000000 where "window" = 'run' and state = 'useful';
update host_time set ns = 20000000000 where "window" = 'run' and state = 'mpi';
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 95e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, p.id, column1, 'mpi', 1, 1e9, 1e9, 1e9 from process p, (values ('MPI_Init_thread'), ('MPI_Finalize'));
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'sleep', '0,1', 2, null, 10, 0, 9, 10e9, 80e9, 20e9);
