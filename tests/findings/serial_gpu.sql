-- the GPU of rank 1 is in NCCL for 20 s while the other one tests: hosts in cuda say nothing
-- expect serial_phase 10 phase test is a serial section on rank 0: 20.0 % of the run
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into phase select 2 + id, 1, id, 'test', 0, 0, 20000000000, 0 from process;
insert into host_time select 1, id, 'phase:test', 'cuda', 20000000000 from process;
insert into device_time values (1, 1, 'phase:test', 'compute', 20000000000), (1, 2, 'phase:test', 'nccl_wait', 20000000000);
