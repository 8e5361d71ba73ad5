-- half of 100 s was captured: 50 s, of which 43 are left on an ideal network
-- expect ideal_network/transfer 7 moving data between ranks takes 7 % of the run; MPI_Sendrecv moves most of it (40 calls)
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 43e9, 'ns', null),
	(1, 'run', 'mpi', 'transfer_efficiency', '', 0.86, '1', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, bytes_sent, bytes_received)
	select 1, id, 'MPI_Sendrecv', 'mpi', 20, 6e9, 1, 1, 1e9, 1e9 from process;
