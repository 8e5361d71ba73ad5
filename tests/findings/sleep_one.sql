-- one rank alone sleeps: that is for others to tell
insert into metric values (1, 'run', 'host', 'slept', 'rank:1', 30e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'usleep', 'wait', 100, 12e9, 1, 1 from process;
