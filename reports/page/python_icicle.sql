-- The tree of Python's calls of all ranks' main threads: places in which at least 0.4 % of the time
-- was, callers first, so that what a place calls stands below it.
with recursive own as materialized (
	select s.frame_id, sum(s.ns) as ns from python_sample s
		join process p on p.id = s.process_id
		join location l on l.id = s.location_id
	where s.run_id = :run and p.rank is not null and l.is_main and s.frame_id is not null
	group by 1
), up(frame_id, ns) as (
	select frame_id, ns from own
	union all
	select f.caller_id, up.ns from up join python_frame f on f.id = up.frame_id
	where f.caller_id is not null
), total as (
	select frame_id, sum(ns) as ns from up group by 1
), state as (
	select frame_id, state, max(ns) from (select s.frame_id, s.state, sum(s.ns) as ns
		from python_sample s join process p on p.id = s.process_id
		join location l on l.id = s.location_id
		where s.run_id = :run and p.rank is not null and l.is_main group by 1, 2) group by 1
), whole as (
	select sum(ns) as ns from own
), down(id, depth) as (
	select id, 0 from python_frame where run_id = :run and caller_id is null
	union all
	select f.id, d.depth + 1 from down d join python_frame f on f.caller_id = d.id
	where d.depth < 60
)
select t.frame_id as "Place|count", f.caller_id as "Caller|count", d.depth as "Depth|count",
	t.ns as "Time|ns", 1.0 * t.ns / w.ns as "Share|percent", f.function as "Function|path",
	f.file || ':' || coalesce(f.line, '?') as "Line|path",
	case when f.own_id = f.id then 'own' else 'library' end as "Code",
	s.state as "State"
from total t join whole w join python_frame f on f.id = t.frame_id join down d on d.id = t.frame_id
	left join state s on s.frame_id = t.frame_id
where t.ns >= 0.004 * w.ns order by d.depth, t.ns desc limit 1500;
