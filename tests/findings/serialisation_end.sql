-- as serialisation.sql with 101 s; rank 0 comes to MPI_Finalize 10 s late, which is no part of 101 - 80 - 2, and what it has more to do than the other all of it
-- expect ideal_network/serialisation 19 serialisation: ranks wait for each other for 19 % of the run
-- expect outside_more/more 5 rank 0 has 10 s more to do than the other ranks after the last step
update location set end_ns = 100000000000;
update host_time set ns = 80000000000 - 10000000000 * (process_id - 1) where "window" = 'run' and state = 'useful';
update host_time set ns = 20000000000 + 10000000000 * (process_id - 1) where "window" = 'run' and state = 'mpi';
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 101e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, p.id, column1, 'mpi', 1, 1e9 + p.rank * column2, 1e9, 1e9 from process p, (values ('MPI_Init_thread', 0), ('MPI_Finalize', 10e9));
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values (1, 1, 'more_outside', '0', 1, null, 0, -1, -1, 5e9, 9e9, 5e9);
