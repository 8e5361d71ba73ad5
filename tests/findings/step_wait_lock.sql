-- main threads wait for semaphores, the least of them 8 s, of which 3 were those of readers; what rank 1 waits
-- more, and not in semaphores, is for its own threads
-- expect step_wait 5 ranks 0,1 wait in 10 of 10 steps, 500 ms each, in semaphores, for locks or queues of their own threads
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'waited_semaphores', 'rank:0', 9e9, 'ns', null), (1, 'run', 'host', 'waited_semaphores', 'rank:1', 8e9, 'ns', null),
	(1, 'run', 'host', 'wait_for_readers', 'rank:0', 0, '1', null), (1, 'run', 'host', 'wait_for_readers', 'rank:1', 0.3, '1', null);
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'wait', '0,1', 2, null, 10, 0, 9, 5e9, 95e9, 5e9), (1, 2, 'wait', '1', 1, null, 10, 0, 9, 30e9, 65e9, 30e9);
insert or replace into host_time (run_id, process_id, window, state, ns) select 1, id, 'run', 'wait', 10e9 from process;
