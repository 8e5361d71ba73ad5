-- a GPU copies for 1 s of each step with nothing next to it, three quarters of it pageable
-- expect pageable_copies 7.5 10 copies of pageable memory, 30.00 GB at 4.0 GB/s
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into device_time select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9), ('memcpy', 1)) s;
insert into device_time select * from gpu_windows;
insert into copy values (1, 1, 'memcpy_h2d', 'pageable', 10, 30000000000, 7500000000), (1, 1, 'memcpy_h2d', 'pinned', 10, 30000000000, 2500000000);
