-- what GPUs did adds up to ten times the run, which is wrong: nothing promises more than the run lasted, and a check reports it
-- expect gpu_starved/host 100 the GPUs wait 900 % of the run for the host
-- expect quality 0 failed: findings within run
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 10), ('idle:host_compute', 90)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'k', 'compute', 10, 1e11, 1e10, 1e10 from device;
