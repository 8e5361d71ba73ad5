-- 9 % of the time, or waiting for a late rank, is not worth the trouble; nor what is mostly hidden
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into device_time select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6.1), ('nccl_transfer', 0.9), ('nccl_wait', 3)) s;
insert into device_time select * from gpu_windows;
