-- as sleep.sql, of programs that are not written in Python: no word of torch.distributed's store or time.sleep
-- expect sleep 11 a rate limit, a loop that polls
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
