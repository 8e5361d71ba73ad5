-- rank 0 tests for 20 s while rank 1 waits: shared by two, 10 s; a phase of 1.9 s is too short to tell
-- expect serial_phase 10 phase test is a serial section on rank 0: 20.0 % of the run, in which 1 rank waits
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'test', 0, 0, 20000000000, 0 from process;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 4 + id, 1, id, 'short', 0, 0, 1900000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns) values (1, 1, 'phase:test', 'useful', 20000000000),
	(1, 2, 'phase:test', 'mpi', 20000000000),
	(1, 1, 'phase:short', 'useful', 1900000000), (1, 2, 'phase:short', 'mpi', 1900000000);
