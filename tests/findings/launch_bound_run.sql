-- as launch_bound.sql, without any step: the seconds are those of all kernels
-- expect gpu_starved/launches 30 the run is launch-bound: kernels of 10.0 µs, and 300.0 µs without work before each; 100,000 kernels a GPU
delete from step;
delete from phase;
delete from host_time where "window" like 'step:%' or "window" like 'phase:%';
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'run', s.column1, s.column2 * 1e9 from device d,
	(values ('compute', 70), ('idle:host_in_cuda_api', 20), ('idle:launch_latency', 5), ('idle:host_compute', 5)) s;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'tiny', 'elementwise', 0, 100000, 1000000000, 1, 1, null, null, null from device;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaLaunchKernel', 'cuda', 100000, 1000000000, 1, 1, 1, 0, 0, 0 from process;
