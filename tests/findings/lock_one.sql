-- one rank alone waits for a lock: that is for others to tell
-- expect nothing
insert into metric values (1, 'run', 'host', 'waited_semaphores', 'rank:1', 30e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'sem_wait', 'wait', 30, 30e9, 1, 1 from process where rank = 1;
