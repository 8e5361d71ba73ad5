-- nobody sees how the ranks communicate: of the 3 s of each step that they wait 2 are for a lock, but for one time
-- expect step_wait 18 ranks 0,1 wait in 10 of 10 steps, 1.8 s each, in semaphores, for locks or queues of their own threads
-- expect unseen_communication 12 12 % of the ranks' time is waiting for something that is not recorded (gloo, sockets)
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p, (values ('useful', 7), ('wait', 3)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id, w.column1, state, sum(ns) from host_time, (values ('run'), ('phase:train')) w group by 2, 3, 4;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'waited_semaphores', 'rank:0', 18e9, 'ns', null), (1, 'run', 'host', 'waited_semaphores', 'rank:1', 18e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'sem_wait', 'wait', 30, 20e9, 1, 1 from process;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'wait', '0,1', 2, null, 10, 0, 9, 18e9, 82e9, 18e9);
