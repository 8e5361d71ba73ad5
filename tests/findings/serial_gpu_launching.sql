-- the host of rank 0 is alone in launching its test, for half a second; its GPU then works for 20 s after it
-- expect serial_phase 10 phase test is a serial section on rank 0: 20.0 % of the run
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into phase select 2 + id, 1, id, 'test', 0, 0, 1000000000, 0 from process;
insert into host_time values (1, 1, 'phase:test', 'cuda', 500000000), (1, 2, 'phase:test', 'useful', 1000000);
insert into device_time values (1, 1, 'phase:test', 'compute', 900000000), (1, 2, 'phase:test', 'compute', 900000000);
insert into device_time values (1, 1, 'launched:test', 'compute', 20000000000);
insert into device_time values (1, 1, 'launched:train', 'compute', 1000000000), (1, 2, 'launched:train', 'compute', 1000000000);
