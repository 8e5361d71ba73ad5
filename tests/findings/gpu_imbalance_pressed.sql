-- the same of stand-ins, where something waits for cores half of the time: these make that
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9, 1), ('nccl_wait', 1, 1), ('compute', 5, 2), ('nccl_wait', 5, 2)) s where s.column3 = d.id;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
update device set kind = 'stand-in';
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, null, 'pressure.cpu', 0, 0), (1, 1, null, 'pressure.cpu', 1e11, 5e10);
