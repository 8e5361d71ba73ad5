-- as sleep.sql, and nobody sleeps after second 14
-- expect sleep 11 all ranks sleep for 11 % of the run, in its first 14 s, in usleep (200 calls)
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null),
	(1, 'run', 'host', 'slept_until', 'rank:0', 14e9, 'ns', null), (1, 'run', 'host', 'slept_until', 'rank:1', 12e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'usleep', 'wait', 100, 12e9, 1, 1 from process;
