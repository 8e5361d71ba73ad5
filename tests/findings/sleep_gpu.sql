-- as sleep.sql, of hosts whose GPUs compute for nearly all the time: nothing is lost by that
-- expect nothing
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
insert into device select * from two_gpus;
insert into device_time select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e8 from n, process p, (values ('compute', 99), ('nccl_transfer', 1)) s;
insert into device_time select * from gpu_windows;
