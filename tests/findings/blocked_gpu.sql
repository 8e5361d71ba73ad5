-- as blocked.sql, of hosts whose GPUs compute for nearly all the time: nothing is lost by that
-- expect nothing
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, s.column1, s.column2 * 1e11, s.column3 * 1e9 + case when s.column1 = 'proc.core_ran' and s.column2 then 5e9 * (p.id - 1) else 0 end
	from process p, (values ('proc.core_ran', 0, 1), ('proc.core_ran', 1, 71), ('proc.core_waited', 0, 0), ('proc.core_waited', 1, 5)) s;
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e8 from n, process p, (values ('compute', 99), ('nccl_transfer', 1)) s;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
