-- quality.sql - how far the other figures can be trusted.

-- The ledger of what could not be recorded. A row adds up to nothing with others: bytes that no
-- call was seen to move may be those of a process that is a row itself.
create table not_recorded (
	run_id integer not null references run(id) on delete cascade,
	subject text not null,			-- a location's, process's or file's name
	kind text not null default 'event',	-- event | spool | process | name |
						-- bytes: what is counted
	reason text not null,
	process_id integer references process(id) on delete cascade,	-- that it is about, or that
						-- started it; NULL = of the run, or not known
	count integer not null,
	bytes integer,				-- NULL = not known, or of another kind
	ns integer,				-- the same; of processes: how long they were missed
	message text,				-- the reason in a sentence
	primary key (run_id, subject, kind, reason)
) without rowid;

-- Events and files of events alone.
create view loss as
select run_id, subject, reason, count, message from not_recorded where kind in ('event', 'spool');

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

-- How much of a window (the run, phases) the ranks that report samples did not record, on average,
-- as events were lost; of all ranks where none reports any. No row: of none of it.
create view lost_time as
with lossy as materialized (
	select m.run_id, m.window, p.id as process_id, m.value as ns
	from metric m join process p on p.run_id = m.run_id and m.subject = 'rank:' || p.rank
	where m.model = 'quality' and m.name = 'lost'
), reporter as materialized (
	select run_id, process_id from step_all
	where samples is not null and run_id in (select run_id from lossy)
	group by run_id, process_id
	union
	select run_id, id from process
	where rank is not null and run_id in (select run_id from lossy)
		and not exists (select 1 from step_all s
			where s.run_id = process.run_id and s.samples is not null)
)
select l.run_id, l.window, total(case when t.process_id is not null then l.ns end)
	/ (select count(*) from reporter a where a.run_id = l.run_id) as ns
from lossy l left join reporter t on t.run_id = l.run_id and t.process_id = l.process_id
group by l.run_id, l.window;
