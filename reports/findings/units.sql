-- Parts of the run that end when their slowest rank has finished: steps, phases without steps, or
-- the run if nothing is marked. finding_share: time of each rank in a window, but for steps, by
-- kind; `outside` excludes communication. finding_unit: windows that are parts, with their phase
-- ('' without one; a step takes the phase of its first rank) and the number of steps that a row
-- represents.
create temp table finding_share("window" text, process_id integer, useful integer, io integer,
	comm integer, wait integer, cuda integer, outside integer,
	primary key ("window", process_id)) without rowid;
insert into finding_share
select "window", process_id, total(ns) filter (where state = 'useful'),
	total(ns) filter (where state = 'io'), total(ns) filter (where state in ('mpi', 'gloo')),
	total(ns) filter (where state = 'wait'), total(ns) filter (where state = 'cuda'),
	total(ns) filter (where state not in ('mpi', 'gloo'))
from (select * from host_time where run_id = :run and "window" < 'step:'
	union all select * from host_time where run_id = :run and "window" >= 'step;') h
where state not in ('absent', 'not_in_detail')
group by "window", process_id
having (select rank from process where id = h.process_id) is not null;

create temp table finding_unit("window" text primary key, phase text, steps integer,
	many integer) without rowid;
insert into finding_unit
with recursive step_window(name) as (	-- one look into the index for each
	select min("window") from host_time where run_id = :run
		and "window" >= 'step:' and "window" < 'step;'
	union all
	select (select min("window") from host_time where run_id = :run and "window" > w.name
		and "window" < 'step;') from step_window w where w.name is not null
), first as (
	select name, (select h.process_id from host_time h join process p on p.id = h.process_id
			where h.run_id = :run and h."window" = w.name and p.rank is not null
				and h.state not in ('absent', 'not_in_detail')
			order by h.process_id limit 1) as process_id
	from step_window w where name is not null
)
select h.name, coalesce(f.name, ''), 1, s.stands_for
from first h join step s on s.run_id = :run and s.process_id = h.process_id
		and s.n = cast(substr(h.name, 6) as integer)
	left join phase f on f.id = s.phase_id;
insert into finding_unit
select distinct "window", substr("window", 7), 0, 1 from finding_share
where "window" glob 'phase:*' and substr("window", 7) not in (select phase from finding_unit);
insert into finding_unit
select min("window"), '', 0, 1 from finding_share where "window" in ('active', 'run')
having count(*) > 0 and not exists (select 1 from finding_unit);
