-- 40 s after the last work a run was killed: that is no end of a run, only the 15 s before the first work count
-- expect start_end/gpu 15 an average GPU has nothing to do for 15 % of the run: 15 s before its first work
-- expect quality 0 the run was truncated: findings cover the recorded part
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
update run set cut = 1;
update process set end = 'killed';
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns)
	select 10 + id, 1, id, 10 + id, 'CUDA[0:7]', 'accelerator_stream', 0, 100, 15e9, 60e9 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'run', 'compute', 100e9 from device d;
