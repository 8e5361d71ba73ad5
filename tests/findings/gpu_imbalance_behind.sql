-- hosts leave the validation after a second, in which no kernel begins: 12 s of rank 1's GPU and 4 s of the other's run
-- after it, in nothing else
-- expect gpu_imbalance 4 load imbalance in validate: the GPU of rank 1 computes 50 % more than the average of 2
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into phase select 2 + id, 1, id, 'validate', 0, 0, 1000000000, 0 from process;
insert into host_time select 1, id, 'phase:validate', 'cuda', 1000000000 from process;
insert into device_time select 1, d.id, 'step:' || n, 'compute', 8 * 1e9 from n, device d;
insert into device_time values (1, 1, 'phase:validate', 'idle:launch_latency', 900000000), (1, 2, 'phase:validate', 'idle:launch_latency', 900000000);
insert into device_time values (1, 1, 'launched:train', 'compute', 80000000000), (1, 2, 'launched:train', 'compute', 80000000000);
insert into device_time values (1, 1, 'launched:validate', 'compute', 4000000000), (1, 2, 'launched:validate', 'compute', 12000000000);
insert into device_time select * from gpu_windows;
