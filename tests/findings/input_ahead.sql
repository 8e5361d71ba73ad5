-- readers starve the hosts for 2 s a step, but the devices only for half a second: hosts run ahead
-- expect data_loading/storage 5 data-loading stall: the GPUs wait 5 % of the run for storage
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 4), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 1e9 from location l,
	(values ('io', 80), ('useful', 10), ('wait', 10)) s where not l.is_main;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 9.5), ('idle:io_wait', 0.5)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
