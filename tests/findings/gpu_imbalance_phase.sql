-- the GPU of rank 1 validates for 12 s, the other for 4, in a phase without steps; both see both GPUs
-- expect gpu_imbalance 4 load imbalance in validate: the GPU of rank 1 computes 50 % more than the average of 2
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select p.id, d.id, d.id - 1 from process p, device d;
insert into location (run_id, process_id, ref, name, kind, is_main, nevents)
	select 1, id, 10 + id, 'CUDA[' || (id - 1) || ':7]', 'accelerator_stream', 0, 500 from process;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'validate', 0, 0, 13000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:validate', 'cuda', 13000000000 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'step:' || n, 'compute', 8 * 1e9 from n, device d;
insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'phase:validate', 'compute', 4000000000), (1, 2, 'phase:validate', 'compute', 12000000000);
insert into device_time (run_id, device_id, window, state, ns) select * from gpu_windows;
