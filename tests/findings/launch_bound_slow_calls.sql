-- calls of 290 µs, which idle attribution has as queued: of 60 s they and their latency explain 30, all but one a step
-- expect gpu_starved/launches 29.997 launch-bound: kernels of 10.0 µs, and 300.0 µs without work before each
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 4), ('idle:queued_other', 6)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'tiny', 'elementwise', 0, 100000, 1000000000, 1, 1, null, null, null from device;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaLaunchKernel', 'cuda', 100000, 29000000000, 1, 1, 1, 0, 0, 0 from process;
