-- Gives each rank of train.sql a stand-in device.
insert into device (id, run_id, node_id, uuid, name, kind, pci)
	select i + 1, 1, 1 + i * (select nodes from size) / (select ranks from size), 'GPU-' || i, 'Stand-in', 'stand-in', null from r;
insert into process_device (process_id, device_id, ordinal) select i + 1, i + 1, 0 from r;
insert into timeline (run_id, location_id, device_id, state, bin_ns, shares)
	select 1, null, r.i + 1, m.column1, (select duration_ns / 50 + 1 from run), (select json_group_array(m.column2 + 0 * bin.i) from bin)
from r, (values ('compute', 540), ('nccl_transfer', 90), ('nccl_wait', 110), ('memcpy', 10), ('idle:io_wait', 150), ('idle:launch_latency', 60),
	('idle:host_compute', 40)) m;
insert into device_time (run_id, device_id, window, state, ns) select 1, r.i + 1, 'run', m.column1, (select duration_ns from run) / 100 * m.column2
from r, (values ('compute', 54), ('nccl_transfer', 9), ('nccl_wait', 11), ('memcpy', 1), ('idle:io_wait', 15),
	('idle:launch_latency', 6), ('idle:host_compute', 3), ('idle:unknown', 1)) m;
-- in steps the device of rank 2 computes half as much as the others, and in every tenth none does
insert into device_time (run_id, device_id, window, state, ns) select 1, r.i + 1, 'step:' || k.i, m.column1, m.column2 from r, k,
	(values ('compute', 60000000), ('nccl_transfer', 10000000), ('idle:io_wait', 30000000)) m where r.i <> 2 and k.i % 10 < 9;
insert into device_time (run_id, device_id, window, state, ns) select 1, r.i + 1, 'step:' || k.i, m.column1, m.column2 from r, k,
	(values ('compute', 30000000), ('nccl_wait', 20000000), ('memcpy', 5000000), ('idle:io_wait', 45000000)) m where r.i = 2 and k.i % 10 < 9;
insert into device_time (run_id, device_id, window, state, ns)
	select 1, r.i + 1, 'step:' || k.i, 'idle:host_compute', 100000000 from r, k where k.i % 10 = 9;
insert into metric (run_id, window, model, name, subject, value, unit, flag) select 1, 'run', m.column1, m.column2, '', m.column3, '1', null
from (values ('device', 'device_parallel_efficiency', 0.54), ('device', 'load_balance', 0.98), ('device', 'communication_efficiency', 0.73),
	('device', 'orchestration_efficiency', 0.75), ('replay', 'device_parallel_efficiency', 0.54), ('replay', 'transfer_efficiency', 0.91),
	('replay', 'memory_efficiency', 1.0), ('replay', 'io_efficiency', 0.79), ('replay', 'host_efficiency', 0.93),
	('replay', 'serialisation_efficiency', 0.82), ('replay', 'load_balance', 0.98)) m;
create temp table kern(name, class, tensor, calls, avg, bytes);
insert into kern values ('sm80_xmma_gemm_f16f16_f16f32_tensor16x8x16_kernel', 'gemm', 1, 400, 900000, null),
	('volta_sgemm_128x64_nn', 'gemm', 0, 300, 300000, null), ('my_kernel(float*)', 'other', null, 900, 20000, null),
	('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'nccl', null, 200, 1500000, null), ('memcpy_h2d', 'memory', null, 100, 400000, 4194304000);
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, r.i + 1, name, class, tensor, calls, calls * avg, avg / 2, avg * 3, avg, avg / 5.0, bytes from r, kern;
insert into copy (run_id, device_id, op, memory, copies, bytes, total_ns)
	select 1, r.i + 1, 'memcpy_h2d', m.column1, m.column2, m.column2 * 41943040, m.column2 * 400000
from r, (values ('pageable', 25), ('pinned', 75)) m;
insert into median (run_id, kind, name, ns, stddev) select 1, 'kernel', name, avg, avg / 5.0 from kern;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, r.i + 1, 'cudaStreamSynchronize', 'cuda', 100, 80000000, 100, 2000000, 700000, 1000, null, null from r;
insert into median (run_id, kind, name, ns, stddev) values (1, 'call', 'cudaStreamSynchronize', 700000, null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 77, k.i, 'allreduce', 33554432, 1000000000 + k.i * 100000000, 1001000000 + k.i * 100000000,
	1005000000 + k.i * 100000000, 0, 6e9, 9e9, 5e9, 'RING' from k;
-- a ring: rank i sends 3 times 8 MB to the next one
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'nccl', 77, 536870912 * (1 + r.i * 131072 + (r.i + 1) % (select ranks from size)) + m.column1, 'sendrecv', 8000000, 2e9, 2e9, 2001000000, r.i, null, null, null, null
from r, (values (0), (1), (2)) m;
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
	select 1, 'nccl', 78, r.i, 'allreduce', 10, 1000, 2000 from r where r.i % 2 = 0;
insert into communicator (run_id, id, kind, name, size)
	values (1, 77, 'nccl', 'world', (select ranks from size)), (1, 78, 'nccl', 'pairs', (select ranks from size) / 2);
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
	select 1, 'nccl', 77, r.i, 'allreduce', 100, 1000000 * r.i, 400000000 from r;
-- the device of rank 1 hangs at the other NUMA node
update device set pci = '0000:0' || (id % 10) || ':00.0';
insert into environment (run_id, scope, key, value)
	select 1, 'node:' || h.hostname, 'gpu_numa.' || d.pci, case d.id when 2 then 0 else (d.id - 1) % 2 end
from device d join node h on h.id = d.node_id where d.id < 10;
-- the phases by what the GPUs did: of train six tenths computing, and so on
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'phase:' || column1, 'device', 'device_parallel_efficiency', '', column2, '1', null
	from (values ('train', 0.6), ('validate', 0.72), ('test', 0.4));
insert into device_time (run_id, device_id, window, state, ns) select 1, d.id, 'phase:train', s.column1, s.column2 * 1e9 from device d,
	(values ('compute', 6), ('nccl_transfer', 2), ('memcpy', 0.5), ('idle:host_compute', 0.5), ('idle:io_wait', 1)) s where d.run_id = 1;
-- what NVML told: 250 W is 3,500 J of each in 14 s
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, n.id, null, 'gpu.' || g.column1 || '.' || m.column1, sec.i * 1000000000, m.column2 + sec.i * m.column3
from sec, node n, (values (0), (1)) g, (values ('util', 90, 0), ('mem_used', 30e9, 1e8), ('sm_clock', 1410, -10), ('power', 250000, 0),
	('energy', 1e6, 250000), ('temp', 60, 0.5), ('throttle', 0, 0)) m;
update sample set value = 4 where name = 'gpu.1.throttle' and t_ns >= 7000000000;
-- a stream of rank 0 in the step that is shown, and a thread whose name is long
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read)
	values (100001, 1, 1, 100001, 'CUDA[0:13]', 'accelerator_stream', 0, 10, null, null, null, null, null, 0),
	(100002, 1, 1, 100002, 'tacho-trainer 4', 'cpu_thread', 0, 10, 0, (select duration_ns from run), null, null, null, 0);
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select 1, step, 100001, start_ns + 10000000, start_ns + 60000000, 'compute', 'my_kernel', 1, null, null, null from timeline_window;
insert into timeline_launch (run_id, step, location_id, to_location_id, start_ns, end_ns)
	select 1, step, 1, 100001, start_ns + 5000000, start_ns + 10000000 from timeline_window;
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select 1, step, 100002, start_ns, start_ns + 50000000, 'io', 'read', 1, null, null, null from timeline_window;
