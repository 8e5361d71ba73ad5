-- schema.sql - the database of tacho, for all commands. Times are integer
-- nanoseconds of the trace's own clock (0 = run.start_ns after the epoch);
-- an undefined figure is NULL, never 0. Bump meta.schema_version with each
-- change and add the step that migrates older files to db_migrate.c.

create table meta (
	key text primary key,
	value text not null
) without rowid;

insert into meta values ('schema_version', '1');

create table run (
	id integer primary key,
	label text not null,			-- name shown to people, the folder's by default
	path text not null,			-- archive the figures come from
	command text,
	start_ns integer,			-- epoch ns of time 0 of the trace; NULL = not in the trace
	duration_ns integer not null,		-- first to last event of all locations
	nranks integer not null,
	nlocations integer not null,
	nevents integer not null,
	exit_status integer,			-- of the command; NULL = not known
	cut integer not null default 0,		-- 1: a process did not end by itself
	tacho_version text not null,
	analyzed_ns integer not null		-- epoch ns
);

create table environment (
	run_id integer not null references run(id) on delete cascade,
	scope text not null default '',		-- '' the run, 'node:n1', 'rank:3'
	key text not null,
	value text not null,
	primary key (run_id, scope, key)
) without rowid;

create table node (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	hostname text not null,
	clock_residual_ns integer,		-- NULL: no collective ties this node's clock to the others
	unique (run_id, hostname)
);

create table process (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	node_id integer references node(id) on delete cascade,
	rank integer,				-- NULL for children such as data-loader workers
	pid integer,
	parent_id integer references process(id) on delete cascade,
	name text not null,			-- of the location group: 'rank 3', 'rank 3 child 1234'
	affinity text,
	end text,				-- finished | killed | running; NULL = not in the trace
	start_ns integer not null,
	end_ns integer not null
);
create index process_run on process(run_id, rank);

create table location (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	process_id integer references process(id) on delete cascade,
	ref integer not null,			-- OTF2 location reference
	name text not null,
	kind text not null,			-- cpu_thread | accelerator_stream | metric
	is_main integer not null default 0,
	nevents integer not null,
	start_ns integer,			-- NULL: no event
	end_ns integer,
	inside text,				-- call that it was in when its process ended
	inside_since_ns integer,
	damaged text				-- what could not be read; NULL = all was
);
create index location_run on location(run_id, process_id);

create table device (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	node_id integer references node(id) on delete cascade,
	uuid text,
	name text not null,
	kind text not null default 'gpu',	-- gpu | stand-in
	pci text
);
create index device_run on device(run_id);

create table process_device (
	process_id integer not null references process(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	ordinal integer not null,		-- number of the device in the process
	primary key (process_id, device_id)
) without rowid;

-- One row per rank and instance; window 'phase:<name>' joins all instances of a name.
create table phase (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	instance integer not null,		-- counts from 0 per rank and name
	start_ns integer not null,
	end_ns integer not null,
	cut integer not null default 0		-- 1: it had not ended when its process did
);
create index phase_run on phase(run_id, name, instance);

create table step (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	n integer not null,			-- per rank; step n of all ranks form window 'step:<n>'
	phase_id integer references phase(id) on delete set null,
	start_ns integer not null,
	end_ns integer not null,
	samples integer,			-- NULL = not reported
	confidence real not null default 1,	-- 1 = marked by the program, < 1 = found in the collectives
	cut integer not null default 0,
	primary key (run_id, process_id, n)
) without rowid;

-- model: mpi host hybrid device talp replay scaling io network step quality
-- subject: '' the whole, 'rank:3', 'gpu:3:0', 'node:n1'
create table metric (
	run_id integer not null references run(id) on delete cascade,
	window text not null,			-- run | phase:<name> | step:<n>
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
	state text not null,			-- useful io mpi cuda wait omp_idle absent: sum = the window
	ns integer not null,
	primary key (run_id, process_id, window, state)
) without rowid;

create table device_time (
	run_id integer not null references run(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	window text not null,
	state text not null,			-- compute nccl_wait nccl_transfer memcpy idle:<cause> absent
	ns integer not null,
	primary key (run_id, device_id, window, state)
) without rowid;

-- Calls of host regions, per process (MPI, I/O, waits, CUDA API, NCCL).
create table call (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	class text not null,			-- mpi io wait cuda nccl omp user
	calls integer not null,
	total_ns integer not null,		-- inclusive
	min_ns integer not null,
	max_ns integer not null,
	median_ns real,
	stddev_ns real,
	bytes_sent integer,
	bytes_received integer,
	primary key (run_id, process_id, name)
) without rowid;

create table kernel (
	run_id integer not null references run(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	name text not null,			-- demangled
	class text not null,
	tensor_core integer,			-- 1 yes, 0 no, NULL the name does not say
	calls integer not null,
	total_ns integer not null,
	min_ns integer not null,
	max_ns integer not null,
	median_ns real,
	stddev_ns real,
	bytes integer,
	primary key (run_id, device_id, name)
) without rowid;

create table communicator (
	run_id integer not null references run(id) on delete cascade,
	id integer not null,
	kind text not null,			-- mpi | nccl
	name text not null,
	size integer not null,
	primary key (run_id, id)
) without rowid;

create table collective (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,			-- mpi | nccl
	comm_id integer not null,
	seq integer not null,
	op text not null,
	bytes integer,
	first_ns integer not null,		-- first arrival
	last_ns integer not null,		-- last arrival
	end_ns integer not null,
	last_rank integer,			-- who came last
	algbw real,				-- bytes/s
	busbw real,
	raw_bw real,				-- over the raw duration
	algorithm text,
	primary key (run_id, kind, comm_id, seq)
) without rowid;

create table collective_rank (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,
	comm_id integer not null,
	rank integer not null,
	op text not null,
	calls integer not null,
	wait_ns integer not null,
	transfer_ns integer not null,
	primary key (run_id, kind, comm_id, rank, op)
) without rowid;

create table io_file (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	path text not null,
	class text not null,			-- dataset | checkpoint | log | other
	opens integer not null,
	reads integer not null,
	writes integer not null,
	bytes_read integer not null,
	bytes_written integer not null,
	ns integer not null,			-- in calls on the file
	read_ns integer not null,
	write_ns integer not null,
	meta_ns integer not null,		-- open, close, stat, sync…
	sequential real,			-- share of accesses that follow on; NULL = fewer than 2
	min_access integer,			-- bytes of one access
	max_access integer,
	primary key (run_id, process_id, path)
) without rowid;

create table sample (
	run_id integer not null references run(id) on delete cascade,
	node_id integer not null references node(id) on delete cascade,
	name text not null,			-- metric member: net.eth0.rx_bytes, gpu.0.power…
	t_ns integer not null,
	value real not null,
	primary key (run_id, node_id, name, t_ns)
) without rowid;

create table throughput_second (
	run_id integer not null references run(id) on delete cascade,
	node_id integer not null references node(id) on delete cascade,
	second integer not null,		-- since the start of the run
	kind text not null,			-- storage_read storage_write network_sent network_received
	source text not null,			-- counter | call
	bytes integer not null,
	primary key (run_id, node_id, second, kind, source)
) without rowid;

create table loss (
	run_id integer not null references run(id) on delete cascade,
	subject text not null,			-- 'rank:3', a location's or file's name
	reason text not null,
	count integer not null,
	message text,
	primary key (run_id, subject, reason)
) without rowid;

create table unmatched (
	run_id integer not null references run(id) on delete cascade,
	n integer not null,
	message text not null,			-- one message without its partner, and why
	primary key (run_id, n)
) without rowid;

-- Results of the checks of every analysis; ok = 0 is shown loudly.
create table checks (
	run_id integer not null references run(id) on delete cascade,
	window text not null,
	name text not null,
	ok integer not null,
	message text,
	primary key (run_id, window, name)
) without rowid;

create table finding (
	run_id integer not null references run(id) on delete cascade,
	rule text not null,
	rank integer not null,			-- 1 = saves most
	seconds real not null,
	message text not null,
	evidence text not null,			-- SQL or rows that prove it
	advice text,
	confidence text,
	primary key (run_id, rank)
) without rowid;

-- The efficiency hierarchy, a row per run and window. NULL = undefined.
create view pop as
select m.run_id, r.label, m.window,
	max(case when model = 'mpi' and name = 'parallel_efficiency' then value end) as parallel_efficiency,
	max(case when model = 'mpi' and name = 'load_balance' then value end) as load_balance,
	max(case when model = 'mpi' and name = 'communication_efficiency' then value end) as communication_efficiency,
	max(case when model = 'mpi' and name = 'serialisation_efficiency' then value end) as serialisation_efficiency,
	max(case when model = 'mpi' and name = 'transfer_efficiency' then value end) as transfer_efficiency,
	max(case when model = 'host' and name = 'host_parallel_efficiency' then value end) as host_parallel_efficiency,
	max(case when model = 'host' and name = 'device_offload_efficiency' then value end) as device_offload_efficiency,
	max(case when model = 'host' and name = 'handover_efficiency' then value end) as handover_efficiency,
	max(case when model = 'host' and name = 'io_efficiency' then value end) as io_efficiency,
	max(case when model = 'device' and name = 'device_parallel_efficiency' then value end) as device_parallel_efficiency,
	max(case when model = 'device' and name = 'load_balance' then value end) as device_load_balance,
	max(case when model = 'device' and name = 'communication_efficiency' then value end) as device_communication_efficiency,
	max(case when model = 'device' and name = 'orchestration_efficiency' then value end) as device_orchestration_efficiency,
	max(case when model = 'replay' and name = 'transfer_efficiency' then value end) as replay_transfer_efficiency,
	max(case when model = 'replay' and name = 'memory_efficiency' then value end) as replay_memory_efficiency,
	max(case when model = 'replay' and name = 'io_efficiency' then value end) as replay_io_efficiency,
	max(case when model = 'replay' and name = 'host_efficiency' then value end) as replay_host_efficiency,
	max(case when model = 'replay' and name = 'serialisation_efficiency' then value end) as replay_serialisation_efficiency,
	max(case when model = 'replay' and name = 'load_balance' then value end) as replay_load_balance
from metric m join run r on r.id = m.run_id
where m.subject = '' and m.window not like 'step:%'
group by m.run_id, m.window;

-- Storage and network rates per node and window, 1 Gb/s = 10^9 bits per second.
create view throughput as
select m.run_id, m.window, substr(m.subject, 6) as node, m.model as source,
	max(case when name = 'storage_read' then value end) / 1e9 as storage_read_gbps,
	max(case when name = 'storage_read_peak' then value end) / 1e9 as storage_read_peak_gbps,
	max(case when name = 'storage_write' then value end) / 1e9 as storage_write_gbps,
	max(case when name = 'storage_write_peak' then value end) / 1e9 as storage_write_peak_gbps,
	max(case when name = 'network_sent' then value end) / 1e9 as network_sent_gbps,
	max(case when name = 'network_sent_peak' then value end) / 1e9 as network_sent_peak_gbps,
	max(case when name = 'network_received' then value end) / 1e9 as network_received_gbps,
	max(case when name = 'network_received_peak' then value end) / 1e9 as network_received_peak_gbps
from metric m
where m.model in ('calls', 'counters') and m.subject like 'node:%'
group by m.run_id, m.window, m.subject, m.model;

-- What nvprof and nsys stats print, kernels and copies.
create view gpu_summary as
select k.run_id, 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (partition by k.run_id), 0) as "Time %",
	sum(total_ns) as "Total", sum(calls) as "Calls", 1.0 * sum(total_ns) / sum(calls) as "Avg",
	sum(median_ns * calls) / sum(calls) as "Med", min(min_ns) as "Min", max(max_ns) as "Max",
	case when count(*) = 1 then max(stddev_ns) end as "StdDev", name as "Name"
from kernel k group by k.run_id, name;

create view call_summary as
select c.run_id, 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (partition by c.run_id), 0) as "Time %",
	sum(total_ns) as "Total", sum(calls) as "Calls", 1.0 * sum(total_ns) / sum(calls) as "Avg",
	sum(median_ns * calls) / sum(calls) as "Med", min(min_ns) as "Min", max(max_ns) as "Max",
	case when count(*) = 1 then max(stddev_ns) end as "StdDev", name as "Name"
from call c group by c.run_id, name;
