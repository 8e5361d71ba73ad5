-- as serial_unseen.sql, with rank 1 in that phase, too, where it waits for rank 0
-- expect serial_phase 10 phase validate is a serial section on rank 0: 20.0 % of the run
-- expect unseen_communication 10 20 % of the ranks' time
delete from host_time;
update phase set end_ns = 80000000000;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + 2, 1, id, 'validate', 0, 80000000000, 100000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process, (values ('useful', 7), ('wait', 1)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id, w.column1, state, sum(ns) from host_time, (values ('run'), ('phase:train')) w group by 2, 3, 4;
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:validate', 'useful', 20000000000), (1, 2, 'phase:validate', 'wait', 19900000000), (1, 2, 'phase:validate', 'useful', 100000000);
update host_time set ns = ns + 20000000000 where process_id = 1 and "window" = 'run' and state = 'useful';
update host_time set ns = ns + 20000000000 where process_id = 2 and "window" = 'run' and state = 'wait';
