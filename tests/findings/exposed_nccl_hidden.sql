-- an eighth of the time NCCL moves data with nothing computed, of half of the time in all: no more than the last of four buckets
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 8.75), ('nccl_transfer', 1.25)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'device', 'nccl_overlap', '', 0.75, '1', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
