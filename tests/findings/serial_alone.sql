-- a phase of rank 0 alone: rank 1 waits for it in a barrier for 18 of its 20 s
-- expect serial_phase 9 phase evaluate is a serial section on rank 0: 18.0 % of the run
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	values (3, 1, 1, 'evaluate', 0, 50000000000, 70000000000, 0), (4, 1, 2, 'log', 0, 10, 30000000000, 0);
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:evaluate', 'useful', 20000000000), (1, 2, 'phase:log', 'useful', 29999999990);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	values (1, 'mpi', 0, 1, 'barrier', 0, 52000000000, 75000000000, 75000000001, 0, null, null, null, null),
	(1, 'mpi', 0, 2, 'barrier', 0, 76000000000, 95000000000, 95000000001, 0, null, null, null, null);
