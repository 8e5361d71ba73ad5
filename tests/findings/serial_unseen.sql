-- rank 0 validates for 20 s, alone in that phase; rank 1 waits for it by means that nobody sees, in no phase
-- expect unseen_communication 10 20 % of the ranks' time
-- expect serial_phase 9 phase validate is a serial section on rank 0: 18.0 % of the run
delete from host_time;
update phase set end_ns = 80000000000;
update phase set end_ns = 82000000000 where process_id = 2;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) values (3, 1, 1, 'validate', 0, 80000000000, 100000000000, 0);
insert into host_time (run_id, process_id, window, state, ns)
	select 1, id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process, (values ('useful', 7), ('wait', 1)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id, w.column1, state, sum(ns) from host_time, (values ('run'), ('phase:train')) w group by 2, 3, 4;
insert into host_time (run_id, process_id, window, state, ns) values (1, 1, 'phase:validate', 'useful', 20000000000);
update host_time set ns = ns + 20000000000 where process_id = 1 and "window" = 'run' and state = 'useful';
update host_time set ns = ns + 20000000000 where process_id = 2 and "window" = 'run' and state = 'wait';
