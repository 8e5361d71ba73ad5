-- what rank 1's GPU computes more in the steps was launched in another phase, in which both had the same in all
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, d.id, 'step:' || n, 'compute', case d.id when 2 then 9 else 4 end * 1e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'launched:train', 'compute', 40000000000), (1, 2, 'launched:train', 'compute', 40000000000);
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'launched:setup', 'compute', 50000000000), (1, 2, 'launched:setup', 'compute', 50000000000);
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
