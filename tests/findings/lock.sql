-- main threads wait for semaphores, the least of them 8 s, of which 3 were those of readers
-- expect lock 5 all ranks wait 5 % of the run in semaphores for their own threads (60 calls)
insert into host_time select 1, id, 'run', 'wait', 10e9 from process;
insert into metric values (1, 'run', 'host', 'waited_semaphores', 'rank:0', 9e9, 'ns', null), (1, 'run', 'host', 'waited_semaphores', 'rank:1', 8e9, 'ns', null),
	(1, 'run', 'host', 'wait_for_readers', 'rank:0', 0, '1', null), (1, 'run', 'host', 'wait_for_readers', 'rank:1', 0.3, '1', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'sem_clockwait', 'wait', 30, 12e9, 1, 1 from process;
