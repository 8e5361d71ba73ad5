-- 4.9 s of 100 in all are nobody's trouble
-- expect nothing
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns)
	select 10 + id, 1, id, 10 + id, 'CUDA[0:7]', 'accelerator_stream', 0, 100, 2.4e9, 97.5e9 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'run', 'compute', 100e9 from device d;
