-- a GPU copies for 1 s of each step with nothing next to it, three quarters of it pageable
-- expect pageable_copies 7.5 10 copies of pageable memory, 30.00 GB at 4.0 GB/s
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9), ('memcpy', 1)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into copy (run_id, device_id, op, memory, copies, bytes, total_ns)
	values (1, 1, 'memcpy_h2d', 'pageable', 10, 30000000000, 7500000000), (1, 1, 'memcpy_h2d', 'pinned', 10, 30000000000, 2500000000);
