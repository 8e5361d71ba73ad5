-- the same gaps between kernels of 50 µs are no trouble of launching: the host itself is
-- expect gpu_starved/host 5 the GPUs wait 5 % of the run for the host, which computes in 100 % of that
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 7), ('idle:host_in_cuda_api', 2), ('idle:launch_latency', 0.5), ('idle:host_compute', 0.5)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'long', 'elementwise', 0, 100000, 5000000000, 1, 1, null, null, null from device;
