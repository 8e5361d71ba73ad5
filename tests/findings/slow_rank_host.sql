-- ranks with GPUs, of which rank 1 computes 1 s longer on its host in eight steps, while its GPU has nothing to do
-- expect slow_rank 7 rank 1 on n1 is 20 % slower since step 2, in its own computing on the host: the other waited 7 s for it
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'host', 1, 0.9);
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into device_time select 1, d.id, 'step:' || n, 'compute', 1e10 from n, device d;
insert into device_time select * from gpu_windows;
insert or replace into host_time select 1, id, 'run', 'useful', 10000000000 + 8000000000 * (rank = 1) from process;
insert or replace into host_time select 1, id, 'run', 'mpi', 10000000000 - 8000000000 * (rank = 1) from process;
insert or replace into host_time select 1, id, 'run', 'cuda', 80000000000 from process;
