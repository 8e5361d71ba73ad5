-- a GPU that is idle, or whose clock a user set, is not held back
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 9e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.1.throttle', n, 1 + n % 2 from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.1.sm_clock', n, 300 from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.1.sm_clock_max', 0, 2000;
