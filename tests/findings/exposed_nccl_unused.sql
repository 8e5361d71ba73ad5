-- one of three GPUs does nothing: NCCL's share is that of the others, and says so
-- expect unused_gpu 20 1 of 3 GPUs compute nothing
-- expect exposed_communication/nccl 15 NCCL moves data for 20 % of the GPUs' time (the 2 used of 3) while nothing is computed
-- expect gpu_starved/host 10 the GPUs (the 2 used of 3) wait 10 % of the run for the host
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus union all select 3, 1, 1, 'uuid-3', 'GPU', 'gpu', null;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of union all select 2, 3, 1;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('nccl_transfer', 2), ('nccl_wait', 1), ('idle:host_compute', 1)) s where d.id < 3;
insert into device_time (run_id, device_id, window, state, ns) select 1, 3, 'step:' || n, 'idle:unknown', 10000000000 from n;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into kernel (run_id, device_id, name, class, calls, total_ns, min_ns, max_ns, median_ns)
	select 1, id, 'k', 'compute', 10, 6e10, 6e9, 6e9, 6e9 from device where id < 3;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
