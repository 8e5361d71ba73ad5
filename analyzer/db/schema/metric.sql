-- metric.sql - efficiencies and where time went, by window.

-- model: mpi host hybrid device talp replay scaling io network step quality
-- subject: '' the whole, 'rank:3', 'gpu:3:0', 'node:n1'
create table metric (
	run_id integer not null references run(id) on delete cascade,
	window text not null,			-- run | active (MPI_Init to MPI_Finalize) |
						-- phase:<name> | step:<n>
	model text not null,
	name text not null,
	subject text not null default '',
	value real,				-- NULL = undefined, see flag
	unit text not null default '1',		-- 1 | ns | bytes | bytes/s | bit/s | 1/s | count
	flag text,				-- why NULL, or a warning (> 1, skewed clocks…)
	primary key (run_id, window, model, name, subject)
) without rowid;

create table host_time (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	window text not null,
	state text not null,			-- useful io mpi gloo cuda wait omp_idle absent: sum
						-- = the window
	ns integer not null,
	primary key (run_id, window, process_id, state)
) without rowid;

-- The same of every thread, over its own life; of main threads also where they are no rank's.
create table location_time (
	run_id integer not null references run(id) on delete cascade,
	location_id integer not null references location(id) on delete cascade,
	state text not null,			-- as host_time, without absent
	ns integer not null,
	primary key (run_id, location_id, state)
) without rowid;

create table device_time (
	run_id integer not null references run(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	window text not null,
	state text not null,			-- compute nccl_wait nccl_transfer (in a summary
						-- nccl) memcpy idle:<cause> absent
	ns integer not null,
	primary key (run_id, window, device_id, state)
) without rowid;

-- The efficiency hierarchy, a row per run and window. NULL = undefined.
create view pop as
select m.run_id, r.label, m.window,
	max(case when model = 'mpi' and name = 'parallel_efficiency' then value end)
		as parallel_efficiency,
	max(case when model = 'mpi' and name = 'load_balance' then value end) as load_balance,
	max(case when model = 'mpi' and name = 'communication_efficiency' then value end)
		as communication_efficiency,
	max(case when model = 'mpi' and name = 'serialisation_efficiency' then value end)
		as serialisation_efficiency,
	max(case when model = 'mpi' and name = 'transfer_efficiency' then value end)
		as transfer_efficiency,
	max(case when model = 'host' and name = 'host_parallel_efficiency' then value end)
		as host_parallel_efficiency,
	max(case when model = 'host' and name = 'device_offload_efficiency' then value end)
		as device_offload_efficiency,
	max(case when model = 'host' and name = 'synchronisation_efficiency' then value end)
		as synchronisation_efficiency,
	max(case when model = 'host' and name = 'io_efficiency' then value end) as io_efficiency,
	max(case when model = 'device' and name = 'device_parallel_efficiency' then value end)
		as device_parallel_efficiency,
	max(case when model = 'device' and name = 'load_balance' then value end)
		as device_load_balance,
	max(case when model = 'device' and name = 'communication_efficiency' then value end)
		as device_communication_efficiency,
	max(case when model = 'device' and name = 'orchestration_efficiency' then value end)
		as device_orchestration_efficiency,
	max(case when model = 'replay' and name = 'transfer_efficiency' then value end)
		as replay_transfer_efficiency,
	max(case when model = 'replay' and name = 'memory_efficiency' then value end)
		as replay_memory_efficiency,
	max(case when model = 'replay' and name = 'io_efficiency' then value end)
		as replay_io_efficiency,
	max(case when model = 'replay' and name = 'host_efficiency' then value end)
		as replay_host_efficiency,
	max(case when model = 'replay' and name = 'serialisation_efficiency' then value end)
		as replay_serialisation_efficiency,
	max(case when model = 'replay' and name = 'load_balance' then value end)
		as replay_load_balance
from metric m join run r on r.id = m.run_id
where m.subject = '' and m.window not like 'step:%'
group by m.run_id, m.window;

-- What the main thread of each rank waited for other ranks in calls of MPI and gloo, by
-- Scalasca's wait states: late_sender, late_receiver, wait_at_barrier, wait_at_nxn,
-- late_broadcast, early_reduce, early_scan.
create view wait_state as
select run_id, cast(substr(subject, length('rank:') + 1) as integer) as rank,
	substr(subject, instr(substr(subject, length('rank:') + 1), ':') + length('rank:') + 1)
		as state, cast(value as integer) as ns, flag
from metric where "window" = 'run' and model = 'host' and name = 'waited_in';

-- The figures of the hierarchies in the order in which they are shown, a factor under its product
-- (depth).
create view figure(ord, depth, model, name, label, meaning) as values
	(10, 0, 'mpi', 'parallel_efficiency', 'MPI parallel efficiency',
		'average time outside MPI ÷ run time = load balance × communication'),
	(11, 1, 'mpi', 'load_balance', 'Load balance',
		'average time outside MPI ÷ that of the busiest rank: 1 when all ranks work ' ||
		'equally long'),
	(12, 1, 'mpi', 'communication_efficiency', 'Communication efficiency',
		'time outside MPI of the busiest rank ÷ run time = serialisation × transfer'),
	(13, 2, 'mpi', 'serialisation_efficiency', 'Serialisation efficiency',
		'what is lost to ranks waiting for each other, even on an infinitely fast network'),
	(14, 2, 'mpi', 'transfer_efficiency', 'Transfer efficiency',
		'what is lost to moving data: run time with an ideal network ÷ run time'),
	(15, 0, 'hybrid', 'parallel_efficiency', 'MPI × threads parallel efficiency',
		'average useful time of all threads ÷ run time'),
	(16, 1, 'hybrid', 'mpi_parallel_efficiency', 'MPI',
		'time outside MPI of the busiest thread of each process ÷ run time, weighted ' ||
		'by its number of threads'),
	(17, 1, 'hybrid', 'thread_efficiency', 'Threads',
		'what is lost to threads that are less useful than the busiest one of their ' ||
		'process'),
	(20, 0, 'host', 'host_parallel_efficiency', 'Host parallel efficiency',
		'average useful time ÷ run time = the four below multiplied'),
	(21, 1, 'host', 'mpi_parallel_efficiency', 'MPI', 'time outside MPI ÷ run time'),
	(22, 1, 'host', 'device_offload_efficiency', 'Device offload',
		'share of the time outside MPI that is not spent in CUDA calls'),
	(23, 1, 'host', 'synchronisation_efficiency', 'Thread synchronisation',
		'share of that time not spent waiting for other threads and processes'),
	(24, 1, 'host', 'io_efficiency', 'I/O',
		'useful time ÷ (useful time + file I/O of the main thread)'),
	(30, 0, 'device', 'device_parallel_efficiency', 'Device parallel efficiency (measured)',
		'compute time of all GPUs ÷ (GPUs × time)'),
	(31, 1, 'device', 'load_balance', 'Load balance',
		'average compute time ÷ that of the busiest GPU'),
	(32, 1, 'device', 'communication_efficiency', 'Communication efficiency',
		'NCCL × memory transfer'),
	(33, 2, 'device', 'nccl_efficiency', 'NCCL',
		'compute ÷ (compute + exposed NCCL), each of the busiest GPU'),
	(34, 2, 'device', 'memory_transfer_efficiency', 'Memory transfer',
		'what exposed copies cost'),
	(35, 1, 'device', 'orchestration_efficiency', 'Orchestration',
		'time in which the busiest GPU had anything to do ÷ time'),
	(40, 0, 'replay', 'device_parallel_efficiency', 'Device parallel efficiency (replay)',
		'the same figure, explained by replaying the run with one cost after another ' ||
		'removed'),
	(41, 1, 'replay', 'transfer_efficiency', 'Transfer', 'an ideal network'),
	(42, 1, 'replay', 'memory_efficiency', 'Memory', 'and copies that take no time'),
	(43, 1, 'replay', 'io_efficiency', 'I/O', 'and file I/O that takes no time'),
	(44, 1, 'replay', 'host_efficiency', 'Host', 'and host work that takes no time'),
	(45, 1, 'replay', 'serialisation_efficiency', 'Serialisation',
		'dependencies between devices that remain'),
	(46, 1, 'replay', 'load_balance', 'Load balance', 'average ÷ maximum compute time');
