-- 100 s, 95.1 on an ideal network: 4.9 % is not enough
-- expect nothing
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'mpi', 'ideal_network_runtime', '', 95.1e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, column1, 'mpi', column2, column3, 1, 1 from process, (values ('MPI_Sendrecv', 20, 6e9), ('MPI_Init', 1, 7e9), ('MPI_Allreduce', 10, 1e9));
