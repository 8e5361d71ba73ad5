-- file.sql - files, as the processes accessed them.

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
	sequential real,			-- share of accesses that follow on; NULL = fewer
						-- than 2
	min_access integer,			-- bytes of one access
	max_access integer,
	saves integer not null default 0,	-- openings in which it was written
	primary key (run_id, process_id, path)
) without rowid;

-- When a process wrote files of class checkpoint: from the opening, or else the first write, until
-- the last write, sync or close. A second in which nothing is written begins another row. The first
-- 1,024 of each file.
create table io_save (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	path text not null,			-- as in io_file
	start_ns integer not null,
	end_ns integer not null,
	bytes integer not null,
	is_main integer not null		-- 1: by the main thread of a rank
);
create index io_save_by_process on io_save(run_id, process_id);
