-- as launch_bound_run.sql, but the devices' first work comes after 2 s, and the last 2 s before the end: that is no launch
-- expect gpu_starved/launches 26 the run is launch-bound: kernels of 10.0 µs, and 260.0 µs without work before each; 100,000 kernels a GPU
delete from step;
delete from phase;
delete from host_time where "window" like 'step:%' or "window" like 'phase:%';
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns)
	select 10 + id, 1, id, 10 + id, 'CUDA[0:7]', 'accelerator_stream', 0, 100000, 2000000000, 98000000000 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'run', s.column1, s.column2 * 1e9 from device d,
	(values ('compute', 70), ('idle:host_in_cuda_api', 20), ('idle:launch_latency', 5), ('idle:host_compute', 5)) s;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'tiny', 'elementwise', 0, 100000, 1000000000, 1, 1, null, null, null from device;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, id, 'cudaLaunchKernel', 'cuda', 100000, 1000000000, 1, 1, 1, 0, 0, 0 from process;
