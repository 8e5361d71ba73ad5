-- 100 s, 93 on an ideal network; in barriers, which move nothing, ranks wait for each other for longer than in what moves data
-- expect ideal_network/transfer 7 moving data between ranks takes 7 % of the run; MPI_Sendrecv moves most of it (40 calls)
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 93e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, bytes_sent, bytes_received)
	select 1, id, column1, 'mpi', column2, column3, 1, 1, column4, column4 from process, (values ('MPI_Sendrecv', 20, 6e9, 1e9), ('MPI_Init', 1, 7e9, null), ('MPI_Barrier', 10, 8e9, null));
