-- 10 all-reduces of 1 GB between two GPUs on NVLink, whose counters were read from the first to the last but one and
-- grew by 1 of 18 GB: half of the 40 s could be saved
-- expect exposed_communication/nccl 30 NCCL moves data for 40 %
-- expect slow_link/transport 20 NCCL moved 18.0 GB between GPUs that have NVLink, and NVLink 1.0
-- shares slow_link/transport exposed_communication/nccl 20
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('nccl_transfer', 4)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into communicator (run_id, id, kind, name, size) values (1, 0, 'nccl', 'all', 2);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 1000000000, n * 10000000000 + 1, n * 10000000000 + 1,
	n * 10000000000 + 400000001, 0, 2.5e9, 2.5e9, null, 'ring' from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.' || (d.id - 1) || '.nvlink_tx', n * 10000000000, n * 5e8 / 9 from device d, n;
