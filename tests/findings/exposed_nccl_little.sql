-- 9 % of the time, or waiting for a late rank, is not worth the trouble; nor what is mostly hidden
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6.1), ('nccl_transfer', 0.9), ('nccl_wait', 3)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
