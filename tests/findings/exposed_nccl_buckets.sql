-- the same in ten buckets a step: a tenth stays
-- expect exposed_communication/nccl 17.7777777778 NCCL moves data for 20 % of the GPUs' time while nothing is computed; 10 % of its kernels' time
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into device_time select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('nccl_transfer', 2), ('nccl_wait', 2)) s;
insert into device_time select * from gpu_windows;
insert into metric values (1, 'run', 'device', 'nccl_overlap', '', 0.1, '1', null);
insert into collective select 1, 'nccl', 0, 10 * a.n + b.n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n a, n b;
