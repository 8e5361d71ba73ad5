-- timeline.sql - what the report draws over time.

-- The whole run in bins of equal width from time 0 on: what share of each a rank's main thread
-- (location_id) or a device was in a state. What is missing to 1000 was not recorded.
create table timeline (
	run_id integer not null references run(id) on delete cascade,
	location_id integer references location(id) on delete cascade,	-- NULL: of a device
	device_id integer references device(id) on delete cascade,
	state text not null,			-- as host_time, device_time; mpi_wait, gloo_wait:
						-- the part that waited for other ranks, mpi
						-- and gloo: the remaining part
	bin_ns integer not null,
	shares text not null			-- JSON array, per mille of each bin
);
create index timeline_run on timeline(run_id, location_id, device_id);

-- The steps that are there in full, each once: what its threads and streams did in it; of more than
-- 128 ranks some.
create table timeline_window (
	run_id integer not null references run(id) on delete cascade,
	step integer not null,
	phase text,
	start_ns integer not null,
	end_ns integer not null,
	why text not null,			-- typical, late rank, first, slowest,
						-- slowest later, last: those that hold;
						-- one row is typical; '': none does
	primary key (run_id, step)
) without rowid;

create table timeline_step (
	run_id integer not null references run(id) on delete cascade,
	step integer not null,
	location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,
	end_ns integer not null,
	state text not null,			-- as host_time; of a stream compute nccl memcpy
	name text,				-- region
	intervals integer not null,		-- > 1: so many short ones in a row, of which
						-- `state` had most time
	path text,				-- of I/O: of its last file; with bytes
	bytes integer,				-- that it moved
	file_offset integer			-- where in the file, if it says so
);
create index timeline_step_run on timeline_step(run_id, step, location_id, start_ns);

-- The critical path through each of these steps, from its end (n = 0) back.
create table timeline_path (
	run_id integer not null references run(id) on delete cascade,
	step integer not null,
	n integer not null,
	location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,
	end_ns integer not null,
	primary key (run_id, step, n)
) without rowid;

create table timeline_message (
	run_id integer not null references run(id) on delete cascade,
	step integer not null,
	location_id integer not null references location(id) on delete cascade,	-- of the sender
	to_location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,		-- of the call that sent it
	end_ns integer not null,		-- of the call in which it was received
	bytes integer not null
);
create index timeline_message_run on timeline_message(run_id, step);

-- Who took part in the collectives that ended inside the window, of those for whose last member all
-- wait; with `collective`, which has the operation and who came last.
create table timeline_collective (
	run_id integer not null references run(id) on delete cascade,
	step integer not null,
	kind text not null,			-- mpi | gloo | nccl
	comm_id integer not null,
	seq integer not null,
	location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,		-- of the call, or of the kernel
	end_ns integer not null,
	primary key (run_id, step, kind, comm_id, seq, location_id)
) without rowid;

create table timeline_launch (
	run_id integer not null references run(id) on delete cascade,
	step integer not null,
	location_id integer not null references location(id) on delete cascade,
	-- of the stream
	to_location_id integer not null references location(id) on delete cascade,
	start_ns integer not null,		-- of the call that launched it
	end_ns integer not null			-- when it began
);
create index timeline_launch_run on timeline_launch(run_id, step);
