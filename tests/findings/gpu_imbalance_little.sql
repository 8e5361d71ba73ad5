-- 9 s and 7 s in a phase are not uneven enough; 9 s and 2 s of steps are noise where every third is the other way round
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'validate', 0, 0, 13000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:validate', 'cuda', 13000000000 from process;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, d.id, 'step:' || n, 'compute', case when n < 7 and d.id = 1 or n >= 7 and d.id = 2 then 9 else 2 end * 1e9
	from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'phase:validate', 'compute', 7000000000), (1, 2, 'phase:validate', 'compute', 9000000000);
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
