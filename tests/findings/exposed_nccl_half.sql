-- half of NCCL's time is under computing, and the other half, 30 % of the time, is not: a quarter of all of it would stay so
-- expect exposed_communication/nccl 15 smaller buckets, so that the first begin earlier
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 7), ('nccl_transfer', 3)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'device', 'nccl_overlap', '', 0.5, '1', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
