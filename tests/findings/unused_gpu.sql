-- the second GPU computes nothing: half of the other's 80 s
-- expect unused_gpu 40 1 of 2 GPUs compute nothing, the first of them on node n1
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'run', 'compute', 80000000000), (1, 2, 'run', 'idle:unknown', 100000000000);
