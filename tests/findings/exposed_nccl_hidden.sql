-- an eighth of the time NCCL moves data with nothing computed, of half of the time in all: no more than the last of four buckets
insert into device select * from two_gpus;
insert into process_device select * from gpu_of;
insert into device_time select 1, d.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, device d,
	(values ('compute', 8.75), ('nccl_transfer', 1.25)) s;
insert into device_time select * from gpu_windows;
insert into metric values (1, 'run', 'device', 'nccl_overlap', '', 0.75, '1', null);
insert into collective select 1, 'nccl', 0, n, 'allreduce', 100000, 0, 0, 1500000000, 0, null, null, null, null from n;
