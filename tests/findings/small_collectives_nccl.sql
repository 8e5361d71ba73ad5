-- 100 all-reduces a step, 15 ms each after a wait of 4.96 ms and a gap of 40 us; the first of a step has computing before it; a fifth is hidden
-- expect small_collectives 15.7987368 1,000 allreduces of 1.0 kB each, 100 per step: each takes 15 ms
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9), ('nccl_transfer', 0.9), ('nccl_wait', 0.097), ('idle:queued_other', 0.003)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'device', 'nccl_overlap', '', 0.2, '1', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, a.n * 100 + b.n * 10 + c.n, 'allreduce', 1024, a.n * 10000000000 + (b.n * 10 + c.n) * 20000000 + 40000,
	a.n * 10000000000 + (b.n * 10 + c.n) * 20000000 + 5000000, a.n * 10000000000 + (b.n * 10 + c.n) * 20000000 + 20000000, 0, null, null, null, null
	from n a, n b, n c;
-- of another communicator 100 a step in groups of ten, a kernel of 1 ms each, that would count ten times; 0.8 of 0.01 s a step are left
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 1, a.n * 100 + b.n * 10 + c.n, 'allgather', 1024, a.n * 10000000000 + b.n * 20000000,
	a.n * 10000000000 + b.n * 20000000, a.n * 10000000000 + b.n * 20000000 + 1000000, 0, null, null, null, null
	from n a, n b, n c;
