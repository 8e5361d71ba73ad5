-- GPUs idle for their hosts for 1 s of 10 only: no more is saved
-- expect without_core 10 other programs ran on 2.8 of the 4 cores
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, t.column1, t.column1 * s.column2 from process p,
	(values ('proc.core_waited', 0.4), ('proc.core_ran', 0.5), ('proc.cpu', 0.6)) s, (values (0), (1e11)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, s.column1, t.column1, t.column1 * s.column2 from
	(values ('cpu.user', 3.5), ('cpu.system', 0.5), ('cpu.idle', 0.0)) s, (values (0), (1e11)) t;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'counters', 'without_core', 'node:n1', 0.4, '1', null);
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d, (values ('compute', 9), ('idle:host_compute', 1)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
