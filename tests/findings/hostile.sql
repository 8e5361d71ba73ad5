-- names of phases and hosts stay text in messages and in evidence
-- expect serial_phase 10 phase a'); drop table run; --%s is a serial section on rank 0
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select 2 + id, 1, id, 'a''); drop table run; --%s', 0, 0, 20000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns) values (1, 1, 'phase:a''); drop table run; --%s', 'useful', 20000000000),
	(1, 2, 'phase:a''); drop table run; --%s', 'mpi', 20000000000);
