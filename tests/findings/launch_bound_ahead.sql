-- ten million kernels of 5 µs, 3 µs between them, queued in a tenth of a second: the device cannot start them faster
-- expect gpu_starved/launches 29.99997 launch-bound: kernels of 5.0 µs, and 3.0 µs without work before each; 1,000,000 kernels a step
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
update step set start_ns = n * 10000000, end_ns = (n + 1) * 10000000;
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id, 'step:' || n, 'cuda', 10000000 from step;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'cuda', 100000000000 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 10000000 from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, d.id, w.column1, s.column1, s.column2 * 1e9 from device d, (values ('phase:train'), ('run')) w,
	(values ('compute', 50), ('idle:launch_latency', 30), ('absent', 20)) s;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, id, 'tiny', 'elementwise', 0, 10000000, 50000000000, 1, 1, null, null, null from device;
