-- as sleep.sql, of hosts whose GPUs compute for nearly all the time: nothing is lost by that
-- expect nothing
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'usleep', 'wait', 100, 12e9, 1, 1 from process;
insert into device select * from two_gpus;
insert into device_time select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e8 from n, process p, (values ('compute', 99), ('nccl_transfer', 1)) s;
insert into device_time select * from gpu_windows;
