-- needs: resource_tables
-- What each rank's process used: cores, memory with its growth per step, page faults. Growth is the
-- slope by least squares of the readings in the steps but the first fifth, as programs grow until
-- they are warm.
with steps as (
	select s.process_id, min(s.start_ns) as first, max(s.end_ns) as last, count(*) as n
	from step s where s.run_id = :run and s.cut = 0 group by s.process_id having count(*) >= 10
), reading as (
	select r.process_id, r.rank, r.hostname, r.what, r.divide, r.kind, s.t_ns as t, s.value as v
	from resource r cross join sample s on s.run_id = :run and s.node_id = r.node_id
		and s.name = r.name and s.process_id = r.process_id	-- by series, as written
	where r.rank is not null
), used as (
	select rank, hostname, process_id,
		max(case when what = 'CPU' then 1e9 * top / span end) as cores,
		max(case when what = 'page faults' then 1e9 * top / span end) as minor,
		max(case when what = 'page faults from disk' then top end) as major
	from (select rank, hostname, process_id, what, (max(v) - min(v)) / divide as top,
			nullif(max(t) - min(t), 0) as span
		from reading where kind = 'counter' group by rank, hostname, process_id, what)
	group by 1, 2, 3
), latest as (
	select process_id, v, max(t) as t from reading where what = 'memory (RSS)'
	group by process_id
), held as (
	select r.process_id, max(r.v) as peak, l.v as last from reading r
		join latest l on l.process_id = r.process_id
	where r.what = 'memory (RSS)' group by r.process_id
), warm as (	-- in steps, from their first: numbers stay small
	select r.process_id, (t - s.first) * 1.0 * s.n / (s.last - s.first) as x, v as y
	from reading r join steps s on s.process_id = r.process_id
	where what = 'memory (RSS)' and t between s.first + (s.last - s.first) / 5 and s.last
), growth as (
	select process_id, (count(*) * sum(x * y) - sum(x) * sum(y))
		/ nullif(count(*) * sum(x * x) - sum(x) * sum(x), 0) as a_step
	from warm group by process_id having count(*) >= 5
)
select 'rank ' || u.rank as "Rank", u.hostname as "Node", u.cores as "CPU|number|cores, mean",
	h.peak as "Memory, most|bytes|resident (RSS), of the rank's own process",
	h.last as "at its end|bytes|the last reading",
	g.a_step as "Growth a step|bytes|least squares over the steps but the first fifth: a leak",
	case when g.a_step is null then 'fewer than 5 readings in its steps, or than 10 steps' end
		as "|why",
	u.minor as "Page faults|number|per second, memory that was touched for the first time",
	u.major as "from disk|count|page faults that read a file",
	'this was not sampled' as "*|why"
from used u left join held h on h.process_id = u.process_id
	left join growth g on g.process_id = u.process_id order by u.rank;
