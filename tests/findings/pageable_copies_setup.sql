-- 3 s of pageable copies in the setup, and pinned ones after it: a second of the steps is no pageable copying
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'setup', 0, 0, 10000000000, 0 from process;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d, (values ('compute', 6), ('memcpy', 0.3)) s;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'phase:setup', 'memcpy', 3000000000 from device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into copy (run_id, device_id, op, memory, copies, bytes, total_ns)
	select 1, id, 'memcpy_h2d', 'pageable', 100, 1000000000, 3000000000 from device;
insert into copy (run_id, device_id, op, memory, copies, bytes, total_ns)
	select 1, id, 'memcpy_h2d', 'pinned', 100, 1000000000, 3000000000 from device;
