-- one GPU computes 90 s, the other 50, nearly all of it after the steps in which it was queued
-- expect gpu_imbalance 20 load imbalance in train: the GPU of rank 0 computes 29 % more than the average of 2
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
update step set start_ns = n * 10000000, end_ns = (n + 1) * 10000000;
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id, 'step:' || n, 'cuda', 10000000 from step;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:train', 'cuda', 100000000000 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 10000000 from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, s.column1, w.column1, s.column2, s.column3 * 1e9 from (values ('phase:train'), ('run')) w,
	(values (1, 'compute', 90), (1, 'absent', 10), (2, 'compute', 50), (2, 'nccl_wait', 50)) s;
