-- both ranks sleep until all have started, and rank 1 for much longer, by another call, to the end
-- expect sleep 20 all ranks sleep for 20 % of the run, in its first 30 s, in nanosleep (400 calls)
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 20e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 70e9, 'ns', null),
	(1, 'run', 'host', 'slept_until', 'rank:0', 30e9, 'ns', null), (1, 'run', 'host', 'slept_until', 'rank:1', 99e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'nanosleep', 'wait', 200, 20e9, 1, 1 from process;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'clock_nanosleep', 'wait', 48, 50e9, 1, 1
	from process where rank = 1;
