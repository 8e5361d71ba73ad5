-- GPU 1 runs at 1500 of 2000 MHz in half of its samples by its power cap; idle samples do not count
-- expect gpu_limited/clock 11.25 GPU 1 of node n1 runs at 1500 of 2000 MHz for 50 % of the time: its power cap
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 9e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.1.throttle', n, case when n < 2 then 1 when n < 6 then 4 else 0 end from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.1.sm_clock', n, case when n < 2 then 300 when n < 6 then 1500 else 2000 end from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.1.sm_clock_max', 0, 2000;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.0.throttle', n, 0 from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.0.sm_clock', n, 1900 from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.0.sm_clock_max', 0, 2000;
