-- run.sql - a run, its processes, threads and devices. For all parts of the schema: times are
-- integer nanoseconds of the trace's own clock (0 = run.start_ns after the epoch); an undefined
-- figure is NULL, never 0. Bump meta.schema_version with each change and add the step that migrates
-- older files to db_migrate.c.

create table meta (
	key text primary key,
	value text not null
) without rowid;

insert into meta values ('schema_version', '12');

create table run (
	id integer primary key,
	label text not null,			-- name shown to people, the folder's by default
	path text not null,			-- archive the figures come from
	command text,
	start_ns integer,			-- epoch ns of time 0 of the trace; NULL = not in
						-- the trace
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
	clock_residual_ns integer,		-- NULL: no collective ties this node's clock to the
						-- others
	unique (run_id, hostname)
);

create table process (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	node_id integer references node(id) on delete cascade,
	rank integer,				-- NULL for children such as data-loader workers
	pid integer,
	exit_status integer,			-- NULL = not known, or 0
	attempt integer,			-- of a launcher that restarts ranks (torchrun),
						-- from 1; NULL = not given
	parent_id integer references process(id) on delete cascade,
	name text not null,			-- of the location group: 'rank 3', 'rank 3 child
						-- 1234'
	affinity text,
	end text,				-- finished | killed | running; NULL = not in the
						-- trace
	start_ns integer not null,
	end_ns integer not null,
	first_sample_ns integer,		-- when it first read a file of the data set; NULL =
						-- it did not
	saved_steps integer,			-- steps in which PyTorch's optimizer had stepped
						-- when torch.save or a checkpoint ended last; NULL
						-- = nothing was saved, or not all is in detail
	signal integer,				-- that killed it, as its parent was told; NULL =
						-- not known, or none
	shm_bytes integer,			-- size of /dev/shm then, and how much of it was
	shm_used integer			-- used; NULL = not known
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

-- What data sheets call the peak of a GPU, dense, in FLOP/s by data type: the makers' of A100, H100
-- and H200 by form (SXM, PCIe, NVL). No peak of a part of a GPU, nor of one that has no row.
create view device_peak as
with sheet(pattern, other, type, flops) as (values	-- other: what it is not
	('NVIDIA H200*', '*NVL*', 'bf16', 989.5e12), ('NVIDIA H200*', '*NVL*', 'fp16', 989.5e12),
	('NVIDIA H200*', '*NVL*', 'fp8', 1979e12), ('NVIDIA H200*', '*NVL*', 'tf32', 494.5e12),
	('NVIDIA H200*', '*NVL*', 'fp32', 67e12),
	('NVIDIA H200 NVL*', '', 'bf16', 835.5e12), ('NVIDIA H200 NVL*', '', 'fp16', 835.5e12),
	('NVIDIA H200 NVL*', '', 'fp8', 1670.5e12), ('NVIDIA H200 NVL*', '', 'tf32', 417.5e12),
	('NVIDIA H200 NVL*', '', 'fp32', 60e12),
	('NVIDIA H100*HBM3*', '', 'bf16', 989.5e12), ('NVIDIA H100*HBM3*', '', 'fp16', 989.5e12),
	('NVIDIA H100*HBM3*', '', 'fp8', 1979e12), ('NVIDIA H100*HBM3*', '', 'tf32', 494.5e12),
	('NVIDIA H100*HBM3*', '', 'fp32', 67e12),
	('NVIDIA H100 NVL*', '', 'bf16', 835.5e12), ('NVIDIA H100 NVL*', '', 'fp16', 835.5e12),
	('NVIDIA H100 NVL*', '', 'fp8', 1670.5e12), ('NVIDIA H100 NVL*', '', 'tf32', 417.5e12),
	('NVIDIA H100 NVL*', '', 'fp32', 60e12),
	('NVIDIA H100 PCIe*', '', 'bf16', 756.5e12), ('NVIDIA H100 PCIe*', '', 'fp16', 756.5e12),
	('NVIDIA H100 PCIe*', '', 'fp8', 1513e12), ('NVIDIA H100 PCIe*', '', 'tf32', 378e12),
	('NVIDIA H100 PCIe*', '', 'fp32', 51e12),
	('NVIDIA A100*', '', 'bf16', 312e12), ('NVIDIA A100*', '', 'fp16', 312e12),
	('NVIDIA A100*', '', 'tf32', 156e12), ('NVIDIA A100*', '', 'fp32', 19.5e12))
select d.run_id, d.id as device_id, s.type, s.flops
from device d join sheet s on d.name glob s.pattern and d.name not glob s.other
where d.kind = 'gpu' and d.name not glob '*MIG*';

-- Whose a device is, where several processes see it: of the one with most events on it.
create view device_owner as
select run_id, device_id, process_id, rank, ordinal from (
	select d.run_id, d.id as device_id, p.id as process_id, p.rank, u.ordinal,
		row_number() over (partition by d.id order by
		(select sum(l.nevents) from location l
			where l.run_id = d.run_id and l.process_id = p.id
			and l.kind = 'accelerator_stream'
			and l.name like 'CUDA[' || u.ordinal || ':%') desc,
		p.rank is null, p.rank, p.id) as nth
	from device d join process_device u on u.device_id = d.id
		join process p on p.id = u.process_id)
where nth = 1;
