-- a fifth of the time NCCL moves data and nothing is computed; of four buckets the last would stay so
-- 2 s in a step, less a quarter of 2 / 0.9
-- expect exposed_communication/nccl 14.4444444444 NCCL moves data for 20 % of the GPUs' time while nothing is computed; 10 % of its kernels' time
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('nccl_transfer', 2), ('nccl_wait', 2)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'device', 'nccl_overlap', '', 0.1, '1', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
