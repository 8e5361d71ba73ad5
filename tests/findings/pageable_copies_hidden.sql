-- copies under computing cost nothing, pinned ones are as they should be
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into device_time select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9.95), ('memcpy', 0.05)) s;
insert into device_time select * from gpu_windows;
insert into copy values (1, 1, 'memcpy_h2d', 'pageable', 10, 30000000000, 7500000000);
