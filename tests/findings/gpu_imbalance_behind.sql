-- hosts leave the validation after a second, in which no kernel begins: 12 s of rank 1's GPU and 4 s of the other's run
-- after it, in nothing else
-- expect gpu_imbalance 4 load imbalance in validate: the GPU of rank 1 computes 50 % more than the average of 2
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'validate', 0, 0, 1000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:validate', 'cuda', 1000000000 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 8 * 1e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'phase:validate', 'idle:launch_latency', 900000000), (1, 2, 'phase:validate', 'idle:launch_latency', 900000000);
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'launched:train', 'compute', 80000000000), (1, 2, 'launched:train', 'compute', 80000000000);
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'launched:validate', 'compute', 4000000000), (1, 2, 'launched:validate', 'compute', 12000000000);
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
