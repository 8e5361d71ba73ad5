-- tensor cores do more than memory, and another GPU moves 59 % at most
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 9e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.' || column1 || '.dram_active', n, column2 from n, (values (0, 7000), (1, 5900));
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.' || column1 || '.sm_active', n, 9000 from n, (values (0), (1));
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.0.tensor_active', n, 7500 from n;
