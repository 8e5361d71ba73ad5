-- its kernels are 2 s longer, by a half, the shortest too: so is the rank, though want of cores made it 7 s
-- expect slow_rank 2 rank 1 on n1 is 50 % slower since step 2, in compute
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
update device set kind = 'stand-in';
insert into device_time select 1, d.id, 'step:' || n, 'compute', 1e10 from n, device d;
insert into device_time select * from gpu_windows;
insert into sample values (1, 1, null, 'pressure.cpu', 0, 0), (1, 1, null, 'pressure.cpu', 1e11, 5e10);
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.5, 7000000000, 'compute', 1, 0.9);
insert into kernel select 1, d.id, 'add', 'elementwise', 0, 1000, 20000000000, 3000000 + 1500000 * (d.id = 2), 1, 4000000 + 2000000 * (d.id = 2), null, null from device d;
