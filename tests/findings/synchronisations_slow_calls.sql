-- the same where a launch takes 20 ms: of 4 s queued after waits 200 times that and a latency is launching
-- expect gpu_starved/synchronisations 3.8019 the host waits for the GPU 20 times a step
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('idle:queued_other', 4)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'long', 'elementwise', 0, 1000, 90000000000, 1, 1, null, null, null from device;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaLaunchKernel', 'cuda', 1000, 20000000000, 1, 1, 1, 0, 0, 0 from process;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaDeviceSynchronize', 'cuda', 200, 9, 1, 1, 1, 0, 0, 0 from process;
