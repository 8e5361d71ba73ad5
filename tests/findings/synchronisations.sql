-- twenty waits a step leave the GPU without work for 1 s of it: all but that after one of them
-- expect gpu_starved/synchronisations 9.5 the host waits for the GPU 20 times a step, most in cudaDeviceSynchronize, and the GPU then 50000 µs
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9), ('idle:host_in_cuda_api', 1)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'long', 'elementwise', 0, 1000, 90000000000, 1, 1, null, null, null from device;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaDeviceSynchronize', 'cuda', 200, 9, 1, 1, 1, 0, 0, 0 from process;
