-- of the launches nothing is in the trace: nobody knows that graphs made them
-- expect gpu_starved/launches 29.997 capture the step as a CUDA graph
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 7), ('idle:host_in_cuda_api', 2), ('idle:launch_latency', 0.5), ('idle:host_compute', 0.5)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'tiny', 'elementwise', 0, 100000, 1000000000, 1, 1, null, null, null from device;
