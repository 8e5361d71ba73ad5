-- as sleep_start.sql, but the first step ended after 10 s: who sleeps until second 14 does not only wait for a start
-- expect sleep 11 all ranks sleep for 11 % of the run, in usleep (200 calls)
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null),
	(1, 'run', 'host', 'slept_until', 'rank:0:usleep', 14e9, 'ns', null), (1, 'run', 'host', 'slept_until', 'rank:1:usleep', 12e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
