-- a helper wakes 10 s late twice: in the first 10 s its rank ran and waited for a core for 8, so it was not stopped
-- expect suspended 10 suspended: rank 1 was stopped from 50.0 to 60.0 s by a signal (SIGSTOP)
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, 2, s.column1, t.column1, t.column2 * s.column2 from
	(values ('proc.core_waited', 0.6), ('proc.core_ran', 0.4)) s,
	(values (0, 0), (2e10, 20e9), (3e10, 28e9), (5e10, 40e9), (6e10, 40e9), (1e11, 80e9)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, 2, 'proc.stopped', 3e10, 1e10), (1, 1, 2, 'proc.stopped', 6e10, 2e10);
