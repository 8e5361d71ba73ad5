-- schema.sql - the database of tacho, for all commands. Times are integer
-- nanoseconds of the trace's own clock (0 = run.start_ns after the epoch);
-- an undefined figure is NULL, never 0. Bump meta.schema_version with each
-- change and add the step that migrates older files to db_migrate.c.

create table meta (
	key text primary key,
	value text not null
) without rowid;

insert into meta values ('schema_version', '6');

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
	exit_status integer,			-- NULL = not known, or 0
	attempt integer,			-- of a launcher that restarts ranks (torchrun), from 1; NULL = not given
	parent_id integer references process(id) on delete cascade,
	name text not null,			-- of the location group: 'rank 3', 'rank 3 child 1234'
	affinity text,
	end text,				-- finished | killed | running; NULL = not in the trace
	start_ns integer not null,
	end_ns integer not null,
	first_sample_ns integer			-- when it first read a file of the data set; NULL = it did not
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
	damaged text,				-- what could not be read; NULL = all was
	bytes_read integer not null default 0	-- from files: shows which threads read the data set
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
	instance integer not null,		-- counts from 0 per rank and name; where ranks have it unequally often, by what overlaps
	start_ns integer not null,
	end_ns integer not null,
	cut integer not null default 0		-- 1: it had not ended when its process did
);
create index phase_run on phase(run_id, name, instance);

-- Instances beyond those that have a row, where there are very many: 100,000 per rank and name.
create table phase_rest (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	instances integer not null,
	ns integer not null,
	end_ns integer not null,		-- of the last
	primary key (run_id, process_id, name)
) without rowid;

create table step (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	n integer not null,			-- per rank; step n of all ranks form window 'step:<n>'
	phase_id integer references phase(id) on delete set null,
	start_ns integer not null,
	end_ns integer not null,
	samples integer,			-- NULL = not given
	confidence real not null default 1,	-- 1 = marked by the program, < 1 = found in the collectives
	cut integer not null default 0,
	waited_ns integer,			-- in MPI for other ranks; NULL = not known, or not captured
	excess_ns integer,			-- captured time without waited_ns, above the median of the other ranks
	caused_ns integer,			-- what other ranks waited in MPI for this one, summed over them
	waited_io_ns integer,			-- the part of waited_ns in collective I/O (state io); of ranks with devices 0
	stands_for integer not null default 1,	-- steps that are like it, itself included; all but 1 are in step_rest
	slept_ns integer,			-- of state wait: in calls that wait for a time which the program gave
	readers_ns integer,			-- of state wait: for threads and children that read files
	late_compute_ns integer,			-- parts of excess_ns, which they add up to; below 0: less than the others have
	late_host_ns integer,
	late_queue_ns integer,
	late_cuda_ns integer,
	late_wait_ns integer,
	late_omp_idle_ns integer,
	late_io_ns integer,
	late_link_ns integer,
	late_copies_ns integer,
	late_sleep_ns integer,
	late_readers_ns integer,
	primary key (run_id, process_id, n)
) without rowid;

-- Steps beyond those that have rows in step, host_time and device_time, where there are very many:
-- exact sums, by rank and phase. All together are in the view step_all.
create table step_rest (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	phase_id integer references phase(id) on delete set null,
	steps integer not null,
	samples integer,			-- NULL = not given
	ns integer not null,			-- from start to end, as of the columns below the sum
	min_ns integer not null,
	max_ns integer not null,
	waited_ns integer,
	excess_ns integer,
	caused_ns integer,
	waited_io_ns integer
);
create index step_rest_run on step_rest(run_id, process_id);

-- Ranks that were slow for a stretch of steps: consistently, and by more than noise.
create table straggler (
	run_id integer not null references run(id) on delete cascade,
	rank integer not null,
	since_step integer not null,
	until_step integer not null,		-- last step of the stretch
	lasting integer not null,		-- 1: it was slow until the last step
	excess_ns integer not null,		-- per step, above the median of the other ranks, mean
	share real,				-- of the other ranks' time of a step
	waited_ns integer not null,		-- time that other ranks waited for it, summed over them
	cause text not null,			-- the part below of which it has most
	cause_share real,			-- part of the excess that the cause explains
	confidence real not null,		-- that it is slow, and by this cause: 0 to 1
	slower real not null default 1,		-- share of these steps in which it was slow
	least_ns integer,			-- the median of excess_ns is at least this, but for a chance of 1 % (sign test)
	late_ns integer not null default 0,	-- its lateness in them, the sum of what follows (docs/lateness.md)
	contention_ns integer not null default 0,	-- compute while it waited for a core, beyond the others
	compute_ns integer not null default 0,
	host_ns integer not null default 0,
	queue_ns integer not null default 0,
	cuda_ns integer not null default 0,
	wait_ns integer not null default 0,
	omp_idle_ns integer not null default 0,
	io_ns integer not null default 0,
	link_ns integer not null default 0,
	copies_ns integer not null default 0,
	sleep_ns integer not null default 0,
	readers_ns integer not null default 0,
	primary key (run_id, rank, since_step)
) without rowid;

-- model: mpi host hybrid device talp replay scaling io network step quality
-- subject: '' the whole, 'rank:3', 'gpu:3:0', 'node:n1'
create table metric (
	run_id integer not null references run(id) on delete cascade,
	window text not null,			-- run | active (MPI_Init to MPI_Finalize) | phase:<name> | step:<n>
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
	state text not null,			-- useful io mpi gloo cuda wait omp_idle absent: sum = the window
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
	state text not null,			-- compute nccl_wait nccl_transfer (in a summary nccl) memcpy idle:<cause> absent
	ns integer not null,
	primary key (run_id, window, device_id, state)
) without rowid;

-- The whole run in bins of equal width from time 0 on: what share of each a rank's main thread
-- (location_id) or a device was in a state. What is missing to 1000 was not recorded.
create table timeline (
	run_id integer not null references run(id) on delete cascade,
	location_id integer references location(id) on delete cascade,	-- NULL: of a device
	device_id integer references device(id) on delete cascade,
	state text not null,			-- as host_time, device_time
	bin_ns integer not null,
	shares text not null			-- JSON array, per mille of each bin
);
create index timeline_run on timeline(run_id, location_id, device_id);

-- One representative step, and what its threads and streams did in it; of more than 128 ranks some.
create table timeline_window (
	run_id integer primary key references run(id) on delete cascade,
	step integer not null,
	phase text,
	start_ns integer not null,
	end_ns integer not null
);

create table timeline_step (
	run_id integer not null references run(id) on delete cascade,
	location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,
	end_ns integer not null,
	state text not null,			-- as host_time; of a stream compute nccl memcpy
	name text,				-- region
	intervals integer not null		-- > 1: so many short ones in a row, of which `state` had most time
);
create index timeline_step_run on timeline_step(run_id, location_id, start_ns);

-- The critical path through that step, from its end (n = 0) back.
create table timeline_path (
	run_id integer not null references run(id) on delete cascade,
	n integer not null,
	location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,
	end_ns integer not null,
	primary key (run_id, n)
) without rowid;

create table timeline_message (
	run_id integer not null references run(id) on delete cascade,
	location_id integer not null references location(id) on delete cascade,	-- of the sender
	to_location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,		-- of the call that sent it
	end_ns integer not null,		-- of the call in which it was received
	bytes integer not null
);
create index timeline_message_run on timeline_message(run_id);

-- Copies and sets of a device by kind of host memory ('' = not known, or none involved).
create table copy (
	run_id integer not null references run(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	op text not null,			-- memcpy_h2d memcpy_d2h memcpy_d2d memcpy_p2p memset
	memory text not null,			-- pageable pinned managed …
	copies integer not null,
	bytes integer not null,
	total_ns integer not null,
	primary key (run_id, device_id, op, memory)
) without rowid;

-- Calls of host regions, per process (MPI, I/O, waits, CUDA API, NCCL).
create table call (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	class text not null,			-- mpi gloo io wait cuda nccl omp user
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
	tensor_core integer,			-- 1 yes, 0 no, NULL the name does not show it
	calls integer not null,
	total_ns integer not null,
	min_ns integer not null,
	max_ns integer not null,
	median_ns real,
	stddev_ns real,
	bytes integer,
	primary key (run_id, device_id, name)
) without rowid;

-- Medians and deviations over all processes or devices, which cannot be derived from those of each.
create table median (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,			-- call | kernel
	name text not null,
	ns real,
	stddev real,
	primary key (run_id, kind, name)
) without rowid;

create table communicator (
	run_id integer not null references run(id) on delete cascade,
	id integer not null,
	kind text not null,			-- mpi | gloo | nccl
	name text not null,
	size integer not null,
	primary key (run_id, kind, id)
) without rowid;

create table collective (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,			-- mpi | gloo | nccl
	comm_id integer not null,
	seq integer not null,			-- of the communicator's; see tacho-db(5) for send and receive
	op text not null,
	bytes integer,
	first_ns integer not null,		-- first arrival
	last_ns integer not null,		-- last arrival
	end_ns integer not null,
	last_rank integer,			-- the last to arrive
	algbw real,				-- bytes/s
	busbw real,
	raw_bw real,				-- over the raw duration
	algorithm text,				-- NCCL's algorithm/protocol: ring/simple, tree/ll…
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

-- Collectives beyond those that have a row, where a communicator has very many: exact sums.
create table collective_rest (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,
	comm_id integer not null,
	op text not null,
	bytes integer not null,			-- of each; of very many sizes rounded up to a power of two
	algorithm text,
	calls integer not null,
	total_bytes integer not null,
	skew_ns integer not null,		-- from the first arrival to the last
	transfer_ns integer not null,		-- from the last arrival to the end
	timed integer not null,			-- calls that have a bandwidth
	timed_ns integer not null,		-- their transfer_ns
	algbw real,				-- over timed_ns
	busbw real,
	busbw_sum real not null,		-- of each call's
	busbw_max real
);
create index collective_rest_run on collective_rest(run_id, kind, comm_id);

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

-- Sockets by which processes moved bytes: a row for each end.
create table socket (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	path text not null,			-- as in io_file
	protocol text not null,			-- tcp | udp | unix
	local text,				-- ADDRESS:PORT; NULL: unix
	remote text,
	peer_id integer references process(id) on delete cascade,	-- at the other end; NULL: not recorded
	writes integer not null,
	reads integer not null,
	bytes_sent integer not null,
	bytes_received integer not null,
	send_ns integer not null,
	receive_ns integer not null,
	primary key (run_id, process_id, path)
) without rowid;

-- Where threads were seen in Python (libtacho looks 50 times a second): places in the tree of calls.
create table python_frame (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	caller_id integer references python_frame(id) on delete cascade,	-- NULL: the outermost
	own_id integer references python_frame(id) on delete cascade,	-- itself or the innermost caller that is no library's; NULL: all are
	function text not null,
	file text not null,
	line integer				-- NULL = not known
);
create index python_frame_run on python_frame(run_id);

-- How long a thread was seen at each, the time between two looks being the later one's.
create table python_sample (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	location_id integer references location(id) on delete cascade,	-- NULL: a thread that recorded nothing
	frame_id integer references python_frame(id) on delete cascade,	-- NULL: the stack could not be read, or there were too many
	state text not null,			-- import loading forward backward optimizer communication checkpoint io wait cuda computing
	call text,				-- outermost recorded call that it was in
	phase text,
	samples integer not null,
	ns integer not null
);
create index python_sample_run on python_sample(run_id, process_id);

-- Counters and gauges as they were read, thinned to at most one value per
-- second and series where there are more; the first and the last stay.
create table sample (
	run_id integer not null references run(id) on delete cascade,
	node_id integer not null references node(id) on delete cascade,
	process_id integer references process(id) on delete cascade,	-- NULL: of the whole node
	name text not null,			-- metric member: net.eth0.rx_bytes, gpu.0.power, proc.rchar…
	t_ns integer not null,
	value real not null
);
create index sample_series on sample(run_id, node_id, name, process_id, t_ns);

create table throughput_second (
	run_id integer not null references run(id) on delete cascade,
	node_id integer not null references node(id) on delete cascade,
	second integer not null,		-- since the start of the run; after 4.5 hours the first of several
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
	brief text,				-- the same in a clause that needs no vocabulary
	evidence text not null,			-- SQL or rows that prove it
	advice text,
	confidence text,
	primary key (run_id, rank)
) without rowid;

-- All steps: each row of step, and of those without one a row for many.
create view step_all as
select run_id, process_id, phase_id, 1 as steps, samples, end_ns - start_ns as ns, cut, waited_ns,
	excess_ns, caused_ns, waited_io_ns
from step
union all
select run_id, process_id, phase_id, steps, samples, ns, 0, waited_ns, excess_ns, caused_ns, waited_io_ns
from step_rest;

-- All phases, a row per name: from the first rank in to the last out, of all instances, what overlaps
-- once: the states of each rank sum to it.
create view phase_all as
with instance as (
	select run_id, name, instance, max(end_ns) - min(start_ns) as ns, min(start_ns) as first_ns, max(cut) as cut
	from phase group by run_id, name, instance
), rest as (
	select run_id, name, max(instances) as instances from phase_rest group by run_id, name
)
select i.run_id, i.name, count(*) + coalesce(r.instances, 0) as instances,
	coalesce((select sum(h.ns) from host_time h where h.run_id = i.run_id and h.window = 'phase:' || i.name
		and h.process_id = (select min(process_id) from host_time o
			where o.run_id = i.run_id and o.window = 'phase:' || i.name)), sum(i.ns)) as ns,
	min(i.first_ns) as first_ns, max(i.cut) as cut
from instance i left join rest r on r.run_id = i.run_id and r.name = i.name
group by i.run_id, i.name;

-- How much of a window (the run, phases) the ranks that report samples did not record, on average, as
-- events were lost; of all ranks where none reports any. No row: of none of it.
create view lost_time as
with lossy as materialized (
	select m.run_id, m.window, p.id as process_id, m.value as ns
	from metric m join process p on p.run_id = m.run_id and m.subject = 'rank:' || p.rank
	where m.model = 'quality' and m.name = 'lost'
), teller as materialized (
	select run_id, process_id from step_all
	where samples is not null and run_id in (select run_id from lossy) group by run_id, process_id
	union
	select run_id, id from process where rank is not null and run_id in (select run_id from lossy)
		and not exists (select 1 from step_all s where s.run_id = process.run_id and s.samples is not null)
)
select l.run_id, l.window, total(case when t.process_id is not null then l.ns end)
	/ (select count(*) from teller a where a.run_id = l.run_id) as ns
from lossy l left join teller t on t.run_id = l.run_id and t.process_id = l.process_id
group by l.run_id, l.window;

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

-- Bytes between ranks, with their children, through sockets, as counted by the sender; a row for each direction.
create view socket_pair as
with recursive family(process_id, at, rank) as (
	select id, id, rank from process
	union all
	select f.process_id, p.parent_id, q.rank from family f join process p on p.id = f.at
		join process q on q.id = p.parent_id where f.rank is null
)
select s.run_id, a.rank, b.rank as peer_rank, sum(s.bytes_sent) as bytes, sum(s.writes) as writes,
	sum(s.send_ns) as ns, count(*) as sockets,
	sum(s.bytes_sent) * 1.0 / nullif((select max(n) from (select sum(steps) as n from step_all t where t.run_id = s.run_id group by t.process_id)), 0) as bytes_per_step
from socket s join family a on a.process_id = s.process_id and a.rank is not null
	join family b on b.process_id = s.peer_id and b.rank is not null
where a.rank <> b.rank
group by s.run_id, a.rank, b.rank;

-- By what the ranks of a run exchange their data, for figures that are called after it.
create view communication as
select id as run_id, case when gloo and mpi then 'MPI and gloo' when gloo then 'gloo' else 'MPI' end as name
from (select r.id, exists (select 1 from call c where c.run_id = r.id and c.class = 'gloo') as gloo,
	exists (select 1 from call c where c.run_id = r.id and c.class = 'mpi') as mpi from run r);

-- The figures of the hierarchies in the order in which they are shown, a factor under its product (depth).
create view figure(ord, depth, model, name, label, meaning) as values
	(10, 0, 'mpi', 'parallel_efficiency', 'MPI parallel efficiency', 'average time outside MPI ÷ run time = load balance × communication'),
	(11, 1, 'mpi', 'load_balance', 'Load balance', 'average time outside MPI ÷ that of the busiest rank: 1 when all ranks work equally long'),
	(12, 1, 'mpi', 'communication_efficiency', 'Communication efficiency', 'time outside MPI of the busiest rank ÷ run time = serialisation × transfer'),
	(13, 2, 'mpi', 'serialisation_efficiency', 'Serialisation efficiency', 'what is lost to ranks waiting for each other, even on an infinitely fast network'),
	(14, 2, 'mpi', 'transfer_efficiency', 'Transfer efficiency', 'what is lost to moving data: run time with an ideal network ÷ run time'),
	(15, 0, 'hybrid', 'parallel_efficiency', 'MPI × threads parallel efficiency', 'average useful time of all threads ÷ run time'),
	(16, 1, 'hybrid', 'mpi_parallel_efficiency', 'MPI', 'time outside MPI of the busiest thread of each process ÷ run time, weighted by its number of threads'),
	(17, 1, 'hybrid', 'thread_efficiency', 'Threads', 'what is lost to threads that are less useful than the busiest one of their process'),
	(20, 0, 'host', 'host_parallel_efficiency', 'Host parallel efficiency', 'average useful time ÷ run time = the four below multiplied'),
	(21, 1, 'host', 'mpi_parallel_efficiency', 'MPI', 'time outside MPI ÷ run time'),
	(22, 1, 'host', 'device_offload_efficiency', 'Device offload', 'share of the time outside MPI that is not spent in CUDA calls'),
	(23, 1, 'host', 'handover_efficiency', 'Thread synchronisation', 'share of that time not spent waiting for other threads and processes'),
	(24, 1, 'host', 'io_efficiency', 'I/O', 'useful time ÷ (useful time + file I/O of the main thread)'),
	(30, 0, 'device', 'device_parallel_efficiency', 'Device parallel efficiency (measured)', 'compute time of all GPUs ÷ (GPUs × time)'),
	(31, 1, 'device', 'load_balance', 'Load balance', 'average compute time ÷ that of the busiest GPU'),
	(32, 1, 'device', 'communication_efficiency', 'Communication efficiency', 'NCCL × memory transfer'),
	(33, 2, 'device', 'nccl_efficiency', 'NCCL', 'compute ÷ (compute + exposed NCCL), each of the busiest GPU'),
	(34, 2, 'device', 'memory_transfer_efficiency', 'Memory transfer', 'what exposed copies cost'),
	(35, 1, 'device', 'orchestration_efficiency', 'Orchestration', 'time in which the busiest GPU had anything to do ÷ time'),
	(40, 0, 'replay', 'device_parallel_efficiency', 'Device parallel efficiency (replay)', 'the same figure, explained by replaying the run with one cost after another removed'),
	(41, 1, 'replay', 'transfer_efficiency', 'Transfer', 'an ideal network'),
	(42, 1, 'replay', 'memory_efficiency', 'Memory', 'and copies that take no time'),
	(43, 1, 'replay', 'io_efficiency', 'I/O', 'and file I/O that takes no time'),
	(44, 1, 'replay', 'host_efficiency', 'Host', 'and host work that takes no time'),
	(45, 1, 'replay', 'serialisation_efficiency', 'Serialisation', 'dependencies between devices that remain'),
	(46, 1, 'replay', 'load_balance', 'Load balance', 'average ÷ maximum compute time');

-- Whose a device is, where several processes see it: of the one with most events on it.
create view device_owner as
select run_id, device_id, process_id, rank, ordinal from (
	select d.run_id, d.id as device_id, p.id as process_id, p.rank, u.ordinal, row_number() over (partition by d.id order by
		(select sum(l.nevents) from location l where l.run_id = d.run_id and l.process_id = p.id and l.kind = 'accelerator_stream'
			and l.name like 'CUDA[' || u.ordinal || ':%') desc, p.rank is null, p.rank, p.id) as nth
	from device d join process_device u on u.device_id = d.id join process p on p.id = u.process_id)
where nth = 1;

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

-- Calls of the host that wait for a device, or hold the host up until a copy has been made.
-- Lines of the program itself, by the time that they or what they call were seen in; children are the rank's.
create view python_line as
select s.run_id, coalesce(p.rank, (select r.rank from process r where r.id = p.parent_id)) as rank, s.process_id,
	case when p.rank is null then 'child' when l.is_main then 'main' else 'thread' end as thread, s.state, s.phase,
	o.file, o.function, o.line, sum(s.ns) as ns, sum(s.samples) as samples
from python_sample s
join process p on p.id = s.process_id
left join location l on l.id = s.location_id
left join python_frame f on f.id = s.frame_id
left join python_frame o on o.id = coalesce(f.own_id, f.id)
group by s.run_id, s.process_id, thread, s.state, s.phase, o.file, o.function, o.line;

create view synchronisation as
select c.run_id, c.process_id, c.name,
	case when c.name glob '*StreamSynchronize*' then 'stream' when c.name glob '*EventSynchronize*' then 'event'
	when c.name glob '*Synchronize*' then 'device' when c.name glob '*Query*' then 'query'
	when c.name glob '*Free*' then 'free' else 'copy' end as kind,
	c.calls, c.total_ns, c.max_ns,
	1.0 * c.calls / nullif((select sum(steps) from step_all s where s.run_id = c.run_id and s.process_id = c.process_id), 0)
	as calls_per_step
from call c where c.class = 'cuda' and (c.name glob '*Synchronize*' or c.name glob '*StreamQuery*'
	or c.name glob '*EventQuery*' or c.name in ('cudaFree', 'cuMemFree', 'hipFree')
	or (c.name glob '*Memcpy*' and c.name not glob '*Async*'));

-- Energy of each GPU (NVML's counter, mJ) between its first and last reading, and of an average
-- step: its power times what the steps took in that time, each from its first start to its last end.
create view gpu_energy as
with reading as (
	select run_id, node_id, cast(substr(name, 5, length(name) - 11) as integer) as gpu, min(t_ns) as first_ns,
		max(t_ns) as last_ns, (max(value) - min(value)) / 1e3 as joules
	from sample where name glob 'gpu.[0-9]*.energy' group by run_id, node_id, name having max(t_ns) > min(t_ns)
), whole as (
	select run_id, n, min(start_ns) as start_ns, max(end_ns) as end_ns from step where cut = 0 group by run_id, n
)
select r.run_id, d.hostname as node, r.gpu, r.joules, (r.last_ns - r.first_ns) / 1e9 as seconds,
	r.joules / ((r.last_ns - r.first_ns) / 1e9) as watts,
	count(w.n) as steps,
	avg((w.end_ns - w.start_ns) / 1e9) * r.joules / ((r.last_ns - r.first_ns) / 1e9) as joules_per_step
from reading r join node d on d.id = r.node_id
	left join whole w on w.run_id = r.run_id and w.end_ns > r.first_ns and w.start_ns < r.last_ns
group by r.run_id, r.node_id, r.gpu;

-- What nvprof and nsys stats print, kernels and copies. Medians are those of
-- all devices together, within 1/32 of themselves.
create view gpu_summary as
select k.run_id, 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (partition by k.run_id), 0) as "Time %",
	sum(total_ns) as "Total", sum(calls) as "Calls", 1.0 * sum(total_ns) / sum(calls) as "Avg",
	m.ns as "Med", min(min_ns) as "Min", max(max_ns) as "Max",
	m.stddev as "StdDev", k.name as "Name"
from kernel k left join median m on m.run_id = k.run_id and m.kind = 'kernel' and m.name = k.name
group by k.run_id, k.name;

-- The same for calls of runtimes; regions of the program itself contain them and would count twice.
create view call_summary as
select c.run_id, 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (partition by c.run_id), 0) as "Time %",
	sum(total_ns) as "Total", sum(calls) as "Calls", 1.0 * sum(total_ns) / sum(calls) as "Avg",
	m.ns as "Med", min(min_ns) as "Min", max(max_ns) as "Max",
	m.stddev as "StdDev", c.name as "Name"
from call c left join median m on m.run_id = c.run_id and m.kind = 'call' and m.name = c.name
where c.class <> 'user' group by c.run_id, c.name;
