-- NVLink carries what NCCL moves
-- expect exposed_communication/nccl 30 NCCL moves data for 40 %
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('nccl_transfer', 4)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into communicator (run_id, id, kind, name, size) values (1, 0, 'nccl', 'all', 2);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 1000000000, 0, 0, 400000000, 0, 2.5e9, 2.5e9, null, 'ring' from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.' || (d.id - 1) || '.nvlink_tx', n * 10000000000, n * 1e10 / 9 from device d, n;
