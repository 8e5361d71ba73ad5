-- what already runs on tensor cores is silent, and so is what no name tells
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 1e10 from n, device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'sgemm_128x64', 'gemm', 0, 1000, 8000000000, 1, 1, null, null, null from device;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'kernel7', 'gemm', null, 1000, 80000000000, 1, 1, null, null, null from device;
