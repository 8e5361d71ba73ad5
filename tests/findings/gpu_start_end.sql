-- two GPUs work from 14 and 16 s on until 90 and 92 s of 100: 15 s before and 9 after; MPI's start and end have 11 of them
-- expect start_end/gpu 13 an average GPU has nothing to do for 24 % of the run: 15 s before its first work, 9 s after its last
-- expect start_end/mpi 11 starting and ending MPI takes 11 % of the run: MPI_Init 7 s, MPI_Finalize 4 s
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns)
	select 10 + id, 1, id, 10 + id, 'CUDA[0:7]', 'accelerator_stream', 0, 100, 12e9 + id * 2e9, 88e9 + id * 2e9 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'run', 'compute', 100e9 from device d;
update location set end_ns = 100000000000 where is_main;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'MPI_Init', 'mpi', 1, 7e9, 7e9, 7e9 from process union all
	select 1, id, 'MPI_Finalize', 'mpi', 1, 4e9, 4e9, 4e9 from process;
