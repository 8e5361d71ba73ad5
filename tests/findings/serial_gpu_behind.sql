-- the host of rank 0 leaves its test after a second, 20 s of its GPU's work run after it; the other GPU has none
-- expect serial_phase 10 phase test is a serial section on rank 0: 20.0 % of the run
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'test', 0, 0, 1000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:test', 'cuda', 1000000000 from process;
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'phase:test', 'compute', 900000000), (1, 2, 'phase:test', 'compute', 900000000);
insert into device_time (run_id, device_id, window, state, ns) values (1, 1, 'launched:test', 'compute', 20000000000);
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'launched:train', 'compute', 1000000000), (1, 2, 'launched:train', 'compute', 1000000000);
