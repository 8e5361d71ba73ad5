-- the same where the shortest kernels are as long as those of the other: most of them lacked a core, not one of them was slow
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
update device set kind = 'stand-in';
insert into device_time select 1, d.id, 'step:' || n, 'compute', 1e10 from n, device d;
insert into device_time select * from gpu_windows;
insert into sample values (1, 1, null, 'pressure.cpu', 0, 0), (1, 1, null, 'pressure.cpu', 1e11, 5e10);
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.5, 7000000000, 'compute', 1, 0.9);
insert into kernel select 1, d.id, 'add', 'elementwise', 0, 1000, 20000000000, 3000000, 1, 4000000 + 2000000 * (d.id = 2), null, null from device d;
