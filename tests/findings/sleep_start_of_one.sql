-- both ranks sleep until all have started, and rank 1 for much longer, by another call, to the end
-- expect sleep 20 all ranks sleep for 20 % of the run, in its first 30 s, in nanosleep (400 calls)
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 20e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 70e9, 'ns', null),
	(1, 'run', 'host', 'slept_until', 'rank:0:nanosleep', 30e9, 'ns', null), (1, 'run', 'host', 'slept_until', 'rank:1:nanosleep', 12e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':nanosleep', s.column2, '1', null from process, (values ('sleeps', 200), ('slept_in', 20e9)) s;
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':clock_nanosleep', s.column2, '1', null from process, (values ('sleeps', 48), ('slept_in', 50e9)) s where rank = 1;
delete from step where start_ns < 30e9;
