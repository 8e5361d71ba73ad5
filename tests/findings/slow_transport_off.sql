-- turned off by a variable, where no counter tells; the process's own GPU alone would not care
-- expect slow_link/transport 4.5 NCCL_P2P_DISABLE=1 keeps NCCL from moving data from GPU to GPU
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9.1), ('nccl_transfer', 0.9)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into environment (run_id, scope, key, value) values (1, 'rank:0', 'var.NCCL_P2P_DISABLE', '1');
insert into communicator (run_id, id, kind, name, size) values (1, 0, 'nccl', 'all', 2);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 1000000000, 0, 0, 400000000, 0, 2.5e9, 2.5e9, null, 'ring' from n;
