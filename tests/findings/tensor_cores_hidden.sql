-- nor where the replay says that 1 % of the run is not won
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 1e10 from n, device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'sgemm_128x64', 'gemm', 0, 1000, 80000000000, 1, 1, null, null, null from device;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'h1688gemm', 'gemm', 1, 1000, 10000000000, 1, 1, null, null, null from device;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'add', 'elementwise', 0, 1000, 10000000000, 1, 1, null, null, null from device;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'replay', 't_tensor_cores', '', 99.1e9, 'ns', null);
