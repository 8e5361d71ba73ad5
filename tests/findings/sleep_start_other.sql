-- as sleep_start.sql, of programs that know no torch.distributed
-- expect sleep 11 ranks that poll until others have started, a pause between attempts
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null),
	(1, 'run', 'host', 'slept_until', 'rank:0:usleep', 14e9, 'ns', null), (1, 'run', 'host', 'slept_until', 'rank:1:usleep', 12e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
delete from step where start_ns < 30e9;
