-- rank 0 waits 12 s in a barrier before step 2, the first one, for rank 1, which works in a phase alone
-- expect serial_phase 6 phase setup is a serial section on rank 1
delete from step where n < 2;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	values (3, 1, 1, 'setup', 0, 1000000000, 13000000000, 0), (4, 1, 2, 'setup', 0, 1000000000, 13000000000, 0);
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:setup', 'mpi', 12000000000), (1, 2, 'phase:setup', 'useful', 12000000000);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 1000000000, 13000000000, 13000000000, 1);
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
	values (1, 'mpi', 0, 0, 'barrier', 1, 12000000000, 0), (1, 'mpi', 0, 1, 'barrier', 1, 0, 0);
