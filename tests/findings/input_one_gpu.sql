-- readers of rank 1 starve its GPU for 5 of 8 s a step, that of rank 0 waits for it in NCCL, and its host for that GPU in CUDA:
-- without waiting a step takes the 3 s that both GPUs have to do
-- expect data_loading/storage 50 data-loading stall: the GPUs wait 50 % of the run for storage
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 1), (1, 'cuda', 9), (2, 'useful', 2), (2, 'wait', 7), (2, 'cuda', 1)) s;
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column2, s.column3 * 1e9 from location l join
	(values (1, 'io', 5), (1, 'wait', 95), (2, 'io', 95), (2, 'wait', 5)) s on s.column1 = l.process_id where not l.is_main;
insert into device_time (run_id, device_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'compute', 3), (1, 'nccl_wait', 7), (2, 'compute', 3), (2, 'idle:io_wait', 5), (2, 'nccl_transfer', 0)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
