-- rank 1 sends to rank 0 at a fifth of the other links' rate: 12 s of transfers would be 2.4
-- expect slow_link/link 9.6 rank 1 sends to rank 0 over eth1 at 2.00 GB/s, where the middle one of 4 links reaches 10.00
-- expect exposed_communication/nccl 9 NCCL moves data for 13 %
-- shares exposed_communication/nccl slow_link/link 9
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 8.0), ('nccl_transfer', 1.2)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 0, n, 'allreduce', 100000000, 0, 0, 200000000, 0, null, 1e10, null, 'RING' from n;
-- two communicators of both ranks, the second one in the other order
insert into environment (run_id, scope, key, value) values
	(1, 'rank:0', 'nccl_link.1', '{"comm":"a","rank":0,"peer":1,"send":1,"nic":"eth0","ops":9,"bytes":100000000000,"net_ns":10000000000}'),
	(1, 'rank:1', 'nccl_link.1', '{"comm":"a","rank":1,"peer":0,"send":1,"nic":"eth0","ops":9,"bytes":100000000000,"net_ns":10000000000}'),
	(1, 'rank:0', 'nccl_link.2', '{"comm":"b","rank":1,"peer":0,"send":1,"nic":"eth1","ops":9,"bytes":100000000000,"net_ns":10000000000}'),
	(1, 'rank:1', 'nccl_link.2', '{"comm":"b","rank":0,"peer":1,"send":1,"nic":"eth1","ops":9,"bytes":100000000000,"net_ns":50000000000}'),
	(1, 'rank:1', 'nccl_link.3', '{"comm":"b","rank":0,"peer":1,"send":0,"nic":"eth1","ops":9,"bytes":100000000000,"net_ns":90000000000}');
