-- the host has queued ten steps in a tenth of a second; what NCCL exposes runs after them, a fifth of the time
-- expect exposed_communication/nccl 15 NCCL moves data for 20 % of the GPUs' time while nothing is computed
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
update step set start_ns = n * 10000000, end_ns = (n + 1) * 10000000;
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id, 'step:' || n, 'cuda', 10000000 from step;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'cuda', 100000000000 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 10000000 from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, d.id, w.column1, s.column1, s.column2 * 1e9 from device d, (values ('phase:train'), ('run')) w,
	(values ('compute', 60), ('nccl_transfer', 20), ('nccl_wait', 20)) s;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
