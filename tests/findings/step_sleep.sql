-- rank 1 sleeps in half of the steps, rank 0 in one; the seconds are those of the step model
-- expect step_wait/sleep 20 rank 1 sleeps in 5 of 10 steps, 4 s each, mostly in fetch() at train.py:7: without this, all steps together would take 80 s instead of 100
-- expect step_wait/sleep 7 rank 0 sleeps in 1 of 10 steps, 7 s: without this, all steps together would take 73 s instead of 80
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'sleep', '1', 1, 'fetch() at train.py:7', 5, 1, 9, 20e9, 80e9, 20e9),
	(1, 2, 'sleep', '0', 1, null, 1, 4, 4, 7e9, 73e9, 7e9),
	(1, 3, 'compute', '0', 1, null, 1, 4, 4, 7e9, 70e9, 3e9);
-- sleep of all ranks is the same sleep
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 20e9, 'ns', null);
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
