-- half of the all-reduces of 100 MB go by tree at a fifth of the rate of the others: 10 s would be 2
-- expect exposed_communication/nccl 9 NCCL moves data for 13 %
-- expect slow_link/rate 8 10 large NCCL allreduces by TREE reach 2.0 GB/s bus bandwidth, where the best of this run reach 10.0
-- shares slow_link/rate exposed_communication/nccl 8
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 8.0), ('nccl_transfer', 1.2)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000000, 0, 0, 200000000, 0, null, 1e10, null, 'RING' from n;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n + 10, 'allreduce', 100000000, 0, 0, 1000000000, 0, null, 2e9, null, 'TREE' from n;
