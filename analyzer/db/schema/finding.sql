-- finding.sql - what the advisor found (reports/findings).

create table finding (
	run_id integer not null references run(id) on delete cascade,
	rule text not null,
	variant text,				-- which of the rule's causes; NULL = it has one
	n integer not null,			-- 1 = saves most
	seconds real not null,
	message text not null,
	brief text,				-- the same in a clause that needs no vocabulary
	evidence text not null,			-- SQL or rows that prove it
	advice text,
	confidence text,
	term text,				-- that message begins with, before ": "
	certainty text,				-- high medium low certain
	is_bound integer not null default 0,	-- seconds are an upper bound
	culprit_rank integer,			-- MPI rank that the others wait for;
						-- NULL = none, or several
	phase text,				-- in which; NULL = in whichever
	place text,				-- a line of Python, else a call; NULL = not known
	first_step integer,			-- of those that it is about; NULL = not known
	last_step integer,
	primary key (run_id, n)
) without rowid;

-- Of what time the seconds of a finding are, rows that add up to them (docs/lateness.md).
create table finding_time (
	run_id integer not null references run(id) on delete cascade,
	n integer not null,			-- finding.n
	phase text,				-- '': in none; NULL: in whichever
	kind text not null,			-- own/PART, link, ends, all
	seconds real not null,
	shared real not null			-- so many of them at most are in findings before it
);
create index finding_time_finding on finding_time(run_id, n);

-- Causes of the steps' time, the one that saves most first, then the one that saves most without it
-- (analyzer/whatif). A cause is a part of the own time of ranks at one place.
create table cause (
	run_id integer not null references run(id) on delete cascade,
	n integer not null,			-- from 1
	part text not null,			-- sleep readers wait io omp_idle compute calls
						-- sleep_outside more_outside: of steps
	ranks text not null,			-- 0,4-7
	nranks integer not null,
	place text,				-- a line of Python, else a call; NULL = not known
	steps integer not null,			-- in which one of them had it
	first_step integer not null,		-- outside: -2 before the first, -1 after the last
	last_step integer not null,
	own_ns integer not null,		-- the ranks' time in it, mean
	takes_ns integer not null,		-- what all steps take without it and those before
	saves_ns integer not null,		-- by so much less than without those before
	primary key (run_id, n)
) without rowid;

-- What the steps, and the time outside of them, take without some of the first causes.
create table cause_without (
	run_id integer not null references run(id) on delete cascade,
	causes integer not null,		-- their numbers n, as the sum of 2^(n - 1)
	steps_ns integer not null,
	outside_ns integer not null,
	primary key (run_id, causes)
) without rowid;

-- What the duration of the run is made up of, to the ns: what each cause saves, and what is left of
-- the model's time, of the ranks that the steps last as long as.
create table account (
	run_id integer not null references run(id) on delete cascade,
	n integer not null,			-- from 1
	what text not null,			-- cause start compute io wait omp_idle
						-- communication other end rest
	cause integer,				-- cause.n; NULL: what is left
	ns integer not null,
	primary key (run_id, n)
) without rowid;

-- Findings that may promise the same seconds: no second of the later one counts twice.
create table finding_overlap (
	run_id integer not null references run(id) on delete cascade,
	n integer not null,
	other integer not null,			-- a finding before it
	seconds real not null,			-- of those of n, at most
	primary key (run_id, n, other)
) without rowid;

-- Of each finding that shares some of its seconds how many, and with which before it: 1, 3.
create view finding_shared as
select o.run_id, o.n, (select sum(t.shared) from finding_time t
		where t.run_id = o.run_id and t.n = o.n) as seconds,
	group_concat(o.other, ', ') as others
from finding_overlap o group by o.run_id, o.n;

-- Of many ranks, which to look at first: those of findings and stragglers, then those whose time in
-- the states differs most from the mean of all ranks.
create view rank_notable as
with spent as (
	select h.run_id, p.rank, h.state, sum(h.ns) as ns
	from host_time h join process p on p.id = h.process_id
	where h."window" = 'run' and p.rank is not null group by h.run_id, p.rank, h.state
), ranks as (
	select run_id, count(distinct rank) as n from spent group by run_id
), usual as (
	select s.run_id, s.state, sum(s.ns) / r.n as ns
	from spent s join ranks r using (run_id) group by s.run_id, s.state
), far as (
	select s.run_id, s.rank, sum(abs(s.ns - u.ns)) as ns
	from spent s join usual u using (run_id, state) group by s.run_id, s.rank
), named as (
	select run_id, culprit_rank as rank from finding where culprit_rank is not null
	union select run_id, rank from straggler
)
select f.run_id, f.rank, n.rank is not null as is_named, f.ns as apart_ns,
	row_number() over (partition by f.run_id order by n.rank is null, f.ns desc, f.rank)
		as place
from far f left join named n using (run_id, rank);
