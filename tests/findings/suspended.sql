-- both ranks are stopped from 20 to 30 s, one of them again from 50 to 54 s: the run gets no further for 14 s. Neither was
-- blocked, and none waited for a core
-- expect suspended 14 suspended: 2 ranks were stopped 2 times between 20.0 and 54.0 s, for 14.0 s in all, by a signal (SIGSTOP)
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.01), ('proc.core_ran', 0.75), ('proc.cpu', 0.75)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, 'proc.stopped', 3e10, 1e10 from process p;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, 1, 'proc.stopped', 5.4e10, 1.4e10;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, 2, 'proc.stopped', 1e11, 1e10;
