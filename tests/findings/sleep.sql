-- all ranks sleep, the least of them 11 s, and threads of theirs for longer, in another call: that is no sleep of the ranks
-- expect sleep 11 11 % of the run, in usleep (200 calls)
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, c.column1, 'wait', c.column2, c.column3, 1, 1 from process,
	(values ('usleep', 1100, 30e9), ('epoll_wait (timed out)', 540, 64e9)) c;
