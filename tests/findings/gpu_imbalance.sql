-- one GPU computes 9 s a step, the other 5, and waits for it in NCCL
-- expect gpu_imbalance 20 load imbalance in train: the GPU of rank 0 computes 29 % more than the average of 2
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9, 1), ('nccl_wait', 1, 1), ('compute', 5, 2), ('nccl_wait', 5, 2)) s where s.column3 = d.id;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
