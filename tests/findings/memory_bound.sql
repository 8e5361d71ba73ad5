-- GPU 1 moves 80 % of what its memory can in nine of ten readings, tensor cores do little; GPU 0 has no GPM
-- expect gpu_limited/memory 45 GPU 1 of node n1 is bound by its memory for 100 % of the time in which it works: 80 % of the bandwidth on average, tensor cores 10 %
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 9e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.1.dram_active', n, case n when 0 then 0 else 8000 end from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, null, 'gpu.1.sm_active', n, case n when 0 then 0 else 9000 end from n;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, null, 'gpu.1.tensor_active', n, 1000 from n;
