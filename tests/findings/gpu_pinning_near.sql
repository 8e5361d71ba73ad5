-- ranks on the nodes of their GPUs, and one that may run everywhere, are well placed
insert into device (id, run_id, node_id, uuid, name, kind, pci) select id, 1, 1, 'uuid-' || id, 'GPU', 'gpu', '0000:0' || id || ':00.0' from process;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
update process set affinity = '0-3' where id = 2;
insert into environment (run_id, scope, key, value) values (1, 'node:n1', 'numa.0', '0-1'), (1, 'node:n1', 'numa.1', '2-3'),
	(1, 'node:n1', 'gpu_numa.0000:01:00.0', '0'), (1, 'node:n1', 'gpu_numa.0000:02:00.0', '0');
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 8.5), ('memcpy', 1), ('idle:launch_latency', 0.5)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
