-- GPUs without work for 65 of 100 s, and an ideal network would save 50: 15 of these are promised before
-- expect start_end/gpu 65 an average GPU has nothing to do for 65 % of the run
-- expect ideal_network/transfer 50 moving data between ranks takes 50 % of the run
-- shares ideal_network/transfer start_end/gpu 15
insert into device (id, run_id, node_id, uuid, name, kind, pci) select * from two_gpus;
insert into process_device (process_id, device_id, ordinal) select * from gpu_of;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns)
	select 10 + id, 1, id, 10 + id, 'CUDA[0:7]', 'accelerator_stream', 0, 100, 60e9, 95e9 from process;
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'run', 'compute', 100e9 from device d;
update location set end_ns = 100000000000 where is_main;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 50e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, bytes_sent, bytes_received)
	select 1, id, 'MPI_Sendrecv', 'mpi', 20, 60e9, 1, 1, 1e9, 1e9 from process;
