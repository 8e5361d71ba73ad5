-- A training run as analyze would store it, of any size: before this comes
-- the schema and "create temp table size(ranks, steps, nodes); insert …".
-- Invented, but consistent: partitions sum to their windows, products hold.
begin;
insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
	values (1, 'run1', 'run1/trace/traces.otf2', 'mpirun -n 4 ./train --epochs 2', 1767225600000000000,
	(select steps from size) * 120000000 + 2000000000, (select ranks from size), (select ranks * 3 from size), 123456,
	0, 0, '0.1.0', 1767225700000000000);

create temp table r as with recursive c(i) as (select 0 union all select i + 1 from c where i + 1 < (select ranks from size)) select i from c;
create temp table k as with recursive c(i) as (select 0 union all select i + 1 from c where i + 1 < (select steps from size)) select i from c;
create temp table nn as with recursive c(i) as (select 1 union all select i + 1 from c where i + 1 <= (select nodes from size)) select i from c;

insert into node (id, run_id, hostname, clock_residual_ns) select i, 1, 'n' || i, case i when 1 then 0 else 400 end from nn;
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select i + 1, 1, 1 + i * (select nodes from size) / (select ranks from size), i, 4000 + i, null,
	'rank ' || i, (i % 2 * 2) || '-' || (i % 2 * 2 + 1), 'finished', 0, (select duration_ns from run) from r;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read)
	select i * 3 + 1, 1, i + 1, i * 3, 'main', 'cpu_thread', 1, 40000, 0, (select duration_ns from run), null, null, null, 0 from r;

-- train: 80 % of the steps, validate 15 %, test the rest; a step lasts about 100 ms and ranks end it almost together
create temp table part(name, first, last, per_step);
insert into part select 'train', 0, steps * 80 / 100 - 1, 120000000 from size;
insert into part select 'validate', steps * 80 / 100, steps * 95 / 100 - 1, 120000000 from size;
insert into part select 'test', steps * 95 / 100, steps - 1, 120000000 from size;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select r.i * 3 + part.rowid, 1, r.i + 1, name, 0, 1000000000 + first * 120000000, 1000000000 + (last + 1) * 120000000, 0
from r, part;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share,
	confidence, slower) values (1, 2, 31, (select steps - 1 from size), 1, 3000000, 0.031, (select steps * 6300000 from size),
	'compute', 0.97, 0.96, 0.98);
insert into step (run_id, process_id, n, phase_id, start_ns, end_ns, samples, confidence, cut)
select 1, r.i + 1, k.i, r.i * 3 + part.rowid, 1000000000 + k.i * 120000000,
	1000000000 + k.i * 120000000
	+ case part.name when 'train' then 100000000 else 62000000 end
	+ (k.i * 7919 + r.i * 104729) % 9973 * 1000				-- jitter up to 10 ms
	+ (r.i = 2 and k.i > 30) * 3000000					-- a straggler
	+ (k.i % 25 = 24) * 8000000,						-- now and then a slow one
	64, 1, 0
from r, k, part where k.i between part.first and part.last;

update step set waited_ns = (end_ns - start_ns) / 10 * (1 + process_id % 3);

create temp table state(name, run, train, validate, test);
insert into state values ('useful', 54, 58, 45, 20), ('io', 15, 12, 30, 10), ('mpi', 20, 21, 15, 65), ('wait', 9, 9, 10, 5), ('absent', 2, 0, 0, 0);
insert into host_time (run_id, process_id, window, state, ns) select 1, r.i + 1, 'run', name,
	(select duration_ns from run) / 100 * (run + (name = 'useful') * (r.i % 4 - 1) - (name = 'mpi') * (r.i % 4 - 1)) from r, state;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, r.i + 1, 'phase:' || part.name, state.name, (last - first + 1) * per_step / 100
	* (case part.name when 'train' then train when 'validate' then validate else test end
	+ (state.name = 'useful') * (r.i % 4 - 1) - (state.name = 'mpi') * (r.i % 4 - 1)) from r, state, part;

insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'host', 'waited_ranks', 'rank:' || (process_id - 1), ns / 5, 'ns', null from host_time where "window" = 'run' and state = 'mpi';

create temp table w(w, lb, ser, tra, hand, io);
insert into w values ('run', 0.98, 0.80, 0.91, 0.90, 0.85), ('phase:train', 0.97, 0.88, 0.93, 0.87, 0.83),
	('phase:validate', 0.95, 0.92, 0.97, 0.83, 0.60), ('phase:test', 0.41, 0.95, null, 0.90, 0.67);
insert into metric (run_id, window, model, name, subject, value, unit, flag) select 1, w, 'mpi', 'load_balance', '', lb, '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'mpi', 'serialisation_efficiency', '', case when tra is not null then ser end, '1',
	case when tra is null then 'two messages have no partner' end from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'mpi', 'transfer_efficiency', '', tra, '1', case when tra is null then 'two messages have no partner' end from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'mpi', 'communication_efficiency', '', ser * coalesce(tra, 0.9), '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'mpi', 'parallel_efficiency', '', lb * ser * coalesce(tra, 0.9), '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'host', 'mpi_parallel_efficiency', '', lb * ser * coalesce(tra, 0.9), '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'host', 'device_offload_efficiency', '', 1, '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'host', 'synchronisation_efficiency', '', hand, '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag) select 1, w, 'host', 'io_efficiency', '', io, '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w, 'host', 'host_parallel_efficiency', '', lb * ser * coalesce(tra, 0.9) * hand * io, '1', null from w;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'critical_path', m.column1, m.column2, (select duration_ns from run) / 100.0 * m.column3, 'ns', null
from (values ('length', '', 100), ('useful', '', 40), ('io', '', 0), ('helper_useful', '', 10), ('helper_io', '', 25), ('wait', '', 2),
	('mpi_transfer', '', 20), ('absent', '', 3), ('length', 'rank:2', 60), ('length', 'rank:0', 40)) m;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'quality', 'overhead', '', 0.003, '1', null), (1, 'run', 'quality', 'overhead_error', '', 0.001, '1', null);
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'counters', m.column1, 'node:n' || nn.i, m.column2 * 1e9, 'bit/s', null
from nn, (values ('storage_read', 7.42), ('storage_read_peak', 9.13), ('storage_write', 0.21), ('storage_write_peak', 1.4),
	('network_sent', 3.81), ('network_sent_peak', 12.0), ('network_received', 3.79), ('network_received_peak', 11.8)) m;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w.w, 'calls', m.column1, 'node:n' || nn.i, m.column2 * 1e9, 'bit/s', null
from nn, w, (values ('storage_read', 7.1), ('storage_read_peak', 8.8), ('storage_write', 0.2), ('storage_write_peak', 1.3)) m;

-- rank i uses (i + 1) / 4 of a core and grows by 1 MB a step, 120 ms, from 1 GB on; 100 page faults per second
create temp table sec as with recursive c(i) as (select 0 union all select i + 1 from c where i + 1 < (select duration_ns / 1000000000 from run)) select i from c;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, p.node_id, p.id, m.column1, sec.i * 1000000000, m.column2 + sec.i * m.column3 * case m.column1 when 'proc.cpu' then 1 + p.rank % 4 else 1 end
from sec, process p, (values ('proc.cpu', 0, 250000000.0), ('proc.rss', 1000000000, 1000000 / 0.12), ('proc.minflt', 5000, 100.0), ('proc.majflt', 2, 0.0)) m where p.rank is not null;
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, nn.i, null, m.column1, sec.i * 1000000000, m.column2 + sec.i * m.column3
from sec, nn, (values ('cpu.idle', 7e9, 2e9), ('mem.available', 200e9, -1e9)) m;

create temp table c(name, class, calls, avg, med, sent, received);
insert into c values ('MPI_Allreduce', 'mpi', 500, 3800000, 3500000, 26214400000, 26214400000),
	('MPI_Bcast', 'mpi', 12, 900000, 700000, 48000000, 48000000), ('MPI_Barrier', 'mpi', 7, 4100000, 900000, 0, 0),
	('MPI_Isend', 'mpi', 200, 2100, 1900, 819200, 0), ('MPI_Irecv', 'mpi', 200, 1100, 900, 0, 0),
	('MPI_Waitall', 'mpi', 100, 410000, 22000, 0, 819200), ('MPI_Init_thread', 'mpi', 1, 182000000, 182000000, null, null),
	('pread64', 'io', 6400, 210000, 180000, null, 983040000), ('open64', 'io', 6402, 21000, 15000, null, null),
	('close', 'io', 6402, 3100, 2800, null, null), ('write', 'io', 40, 1500000, 900000, 160000000, null),
	('fsync', 'io', 4, 88000000, 90000000, null, null),
	('pthread_cond_wait', 'wait', 220, 4600000, 2100000, null, null), ('sem_wait', 'wait', 80, 12000, 9000, null, null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, r.i + 1, name, class, calls, calls * (avg + r.i % 4 * avg / 20), avg / 7, avg * 9, med, avg / 3.0, sent, received from c, r;
insert into median (run_id, kind, name, ns, stddev)
	select 1, 'call', name, sum(median_ns * calls) / sum(case when median_ns is not null then calls end), null from call group by name;

-- rank i is in MPI for (i + 1) / 10 of its steps
insert into call_path (run_id, process_id, n, caller, name, class, calls, total_ns)
	select 1, r.i + 1, m.column1, m.column2, m.column3, m.column4, m.column5, (select duration_ns from run) / 1000 * m.column6
from r, (values (1, null, 'main', 'user', 1, 1000), (2, 1, 'train', 'user', 1, 900), (3, 2, 'step', 'user', 100, 800)) m;
insert into call_path (run_id, process_id, n, caller, name, class, calls, total_ns)
	select 1, r.i + 1, 4, 3, 'MPI_Allreduce', 'mpi', 100, (select duration_ns from run) / 1000 * 80 * (r.i % 4 + 1) from r;
insert into message (run_id, process_id, peer_id, class, messages, bytes)
	select 1, r.i + 1, (r.i + 1) % (select ranks from size) + 1, 'mpi', 200, 819200 from r;
insert into communicator (run_id, id, kind, name, size) values (1, 0, 'mpi', 'MPI_COMM_WORLD', (select ranks from size));
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank, algbw, busbw, raw_bw, algorithm)
	select 1, 'mpi', 0, k.i, case k.i % 25 when 24 then 'bcast' else 'allreduce' end,
	case when k.i % 25 = 24 then 4000000 when k.i % 5 = 0 then 4096 else 52428800 end,
	1000000000 + k.i * 100000000, 1004000000 + k.i * 100000000, 1012000000 + k.i * 100000000, k.i % (select ranks from size),
	5e9 + k.i * 1e6, 7.5e9 + k.i * 1.5e6, 3e9, null from k;
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
	select 1, 'mpi', 0, r.i, 'allreduce', (select steps from size), 4000000 * (1 + r.i % 4) * (select steps from size), 8000000 * (select steps from size) from r;

insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, r.i + 1, '/data/train/shard-' || printf('%04d', s.i) || '.bin', 'dataset', 2, 400, 0, 61440000, 0,
	80000000 + s.i * 900000 + r.i * 1000, 78000000, 0, 2000000 + s.i * 900000, 0.75, 153600, 153600, 0
from r, (select i from k where i < 30) s;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, '/scratch/run1/checkpoint-' || i || '.bin', 'checkpoint', 1, 0, 10, 0, 40000000, 210000000, 0, 120000000, 90000000, 1, 4000000, 4000000, 1 from k where i < 4;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, r.i + 1, '/proc/cpuinfo', 'other', 1, 2, 0, 4096, 0, 999000000, 1, 0, 1, 1, 2048, 2048, 1 from r;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, r.i + 1, '/var/log/train.log', 'log', 1, 0, 40, 0, 3200, 1200000, 0, 900000, 300000, 1, 60, 140, 1 from r;

insert into throughput_second (run_id, node_id, second, kind, source, bytes)
	select 1, nn.i, s.i, m.column1, m.column3, m.column2 + (s.i * 7919 + nn.i * 31) % 97 * m.column2 / 200
from nn, (select i from k where i < (select duration_ns / 1000000000 from run)) s,
	(values ('storage_read', 920000000, 'counter'), ('storage_write', 26000000, 'counter'), ('network_sent', 470000000, 'counter'),
	('network_received', 465000000, 'counter'), ('storage_read', 890000000, 'call'), ('storage_write', 25000000, 'call')) m;

-- 50 bins of the run; and the step in its middle, in which rank 2 comes last
create temp table bin as with recursive c(i) as (select 0 union all select i + 1 from c where i < 49) select i from c;
create temp table share(state, permille, wave);
insert into share values ('useful', 540, 200), ('io', 150, 100), ('mpi', 200, -300), ('wait', 90, 0);
insert into timeline (run_id, location_id, device_id, state, bin_ns, shares)
	select 1, r.i * 3 + 1, null, state, (select duration_ns / 50 + 1 from run),
	(select json_group_array(permille + wave * ((bin.i + r.i) % 5 - 2) / 4) from bin) from r, share;
insert into timeline_window (run_id, step, phase, start_ns, end_ns, why)
	select 1, n, 'train', min(start_ns), max(end_ns), case n when (select steps / 2 from size) then 'typical' else 'first' end
	from step where n in ((select steps / 2 from size), 0) group by n;
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select 1, step, r.i * 3 + 1, start_ns + (end_ns - start_ns) * (a + (a = 70) * (r.i = 2) * 20) / 100,
	start_ns + (end_ns - start_ns) * (b + (b = 70) * (r.i = 2) * 20) / 100, state, name, 1,
	case state when 'io' then '/data/train/shard-0007.bin' end, case state when 'io' then 4096000000 end, case state when 'io' then 8192 end
from r, timeline_window, (select 0 as a, 10 as b, 'io' as state, 'read' as name union all select 10, 70, 'useful', 'forward'
	union all select 70, 100, 'mpi', 'MPI_Allreduce');
insert into timeline_path (run_id, step, n, location_id, start_ns, end_ns)
	select 1, step, 0, 1, start_ns + (end_ns - start_ns) * 9 / 10, end_ns from timeline_window;
insert into timeline_path (run_id, step, n, location_id, start_ns, end_ns)
	select 1, step, 1, 7, start_ns, start_ns + (end_ns - start_ns) * 9 / 10 from timeline_window where (select ranks from size) > 2;
insert into timeline_message (run_id, step, location_id, to_location_id, start_ns, end_ns, bytes)
	select 1, step, 1, 4, start_ns + 1000000, start_ns + 3000000, 4096 from timeline_window where (select ranks from size) > 2;

-- all ranks' allreduce of that step, for which all wait for rank 2
insert into timeline_collective (run_id, step, kind, comm_id, seq, location_id, start_ns, end_ns)
	select 1, step, 'mpi', 0, step, location_id, s.start_ns, s.end_ns from timeline_step s where s.state = 'mpi';
update collective set last_rank = 2 where seq in (select step from timeline_window) and (select ranks from size) > 2;

insert into checks (run_id, window, name, ok, message) values (1, 'run', 'identity_replay', 1, null), (1, 'run', 'host_partition', 1, null);
insert into environment (run_id, scope, key, value) values (1, '', 'tacho.version', '0.1.0'), (1, '', 'command', 'mpirun -n 4 ./train --epochs 2');
insert into environment (run_id, scope, key, value) select 1, 'node:n' || i, 'node.cpu', 'AMD EPYC 7763 64-Core Processor' from nn;
insert into environment (run_id, scope, key, value) select 1, 'node:n' || i, 'node.kernel', 'Linux 6.1.0-' || (20 + i) from nn;
insert into environment (run_id, scope, key, value) select 1, 'node:n' || i, 'node.memory_bytes', '270000000000' from nn;
insert into environment (run_id, scope, key, value) select 1, 'node:n' || i, 'cores', '4' from nn;
insert into environment (run_id, scope, key, value)
	select 1, 'node:n' || i, 'numa.' || n.column1, n.column2 from nn, (values (0, '0-1'), (1, '2,3')) n;
insert into environment (run_id, scope, key, value) select 1, 'rank:' || i, 'process.var.OMP_NUM_THREADS', '2' from r;
insert into environment (run_id, scope, key, value) select 1, 'rank:' || i, 'process.mpi_library', 'Open MPI 4.1.4' from r;
insert into environment (run_id, scope, key, value) select 1, 'rank:' || i, 'process.affinity', (i % 2 * 2) || '-' || (i % 2 * 2 + 1) from r;
insert into python_frame (id, run_id, caller_id, own_id, function, file, line) values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'main', '/home/me/train.py', 71),
	(3, 1, 2, 3, 'collate', '/home/me/data.py', 88), (4, 1, 2, 4, 'step', '/home/me/train.py', 40),
	(5, 1, 4, 4, 'Tensor.backward', '/usr/lib/python3/dist-packages/torch/_tensor.py', 488),
	(6, 1, 5, 4, 'backward', '/usr/lib/python3/dist-packages/torch/autograd/__init__.py', 197);
insert into python_sample (run_id, process_id, location_id, frame_id, state, call, phase, samples, ns)
	select 1, r.i + 1, r.i * 3 + 1, f.id, f.state, null, 'train', f.ms / 20, (f.ms + (f.id = 3 and r.i = 2) * 900) * 1000000
	from r, (select 1 as id, 'computing' as state, 40 as ms union all select 2, 'io', 200 union all select 3, 'loading', 900
	union all select 4, 'forward', 1600 union all select 6, 'backward', 2400) f;
insert into python_sample (run_id, process_id, location_id, frame_id, state, call, phase, samples, ns)
	select 1, r.i + 1, r.i * 3 + 1, null, 'wait', 'sem_wait', null, 1, 20000000 from r;
commit;
