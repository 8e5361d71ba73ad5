-- a hundred kernels a step launched by one graph, and still short: fusing is what is left
-- expect gpu_starved/launches 9.9 fuse kernels
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9), ('idle:host_in_cuda_api', 1)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'tiny', 'elementwise', 0, 1000, 10000000, 1, 1, null, null, null from device;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaLaunchKernel', 'cuda', 100, 1000000, 1, 1, 1, 0, 0, 0 from process;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaGraphLaunch', 'cuda', 10, 100000, 1, 1, 1, 0, 0, 0 from process;
