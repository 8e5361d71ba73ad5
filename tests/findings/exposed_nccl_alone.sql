-- of a fifth of the time that NCCL takes with nothing computed, communicators of one GPU take three quarters: a twentieth is left
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 6), ('nccl_transfer', 2), ('nccl_wait', 2)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into communicator (run_id, id, kind, name, size) values (1, 0, 'nccl', 'NCCL 0', 1), (1, 1, 'nccl', 'NCCL 1', 2);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 1, n, 'allreduce', 100000, 0, 0, 500000000, 0, null, null, null, null from n;
