-- copies under computing cost nothing, pinned ones are as they should be
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9.95), ('memcpy', 0.05)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into copy (run_id, device_id, op, memory, copies, bytes, total_ns) values (1, 1, 'memcpy_h2d', 'pageable', 10, 30000000000, 7500000000);
