-- Ranks whose steps take longer than the median of all ranks of the same step.
with ordered as (
	select process_id, n, end_ns - start_ns as ns, row_number() over (partition by n order by end_ns - start_ns) as nth,
		count(*) over (partition by n) as many
	from step where run_id = :run and cut = 0
), middle as (
	select n, avg(ns) as ns from ordered where nth in ((many + 1) / 2, many / 2 + 1) and many > 1 group by n
), last as (
	select process_id, count(*) as times from ordered where nth = many and many > 1 group by process_id
)
select 'rank ' || p.rank as "Rank", d.hostname as "Node", count(*) as "Steps|count", avg(o.ns) as "Mean step|ns",
	avg(o.ns - m.ns) as "Longer by|ns|mean difference to the median of all ranks of the same step",
	avg(o.ns - m.ns) / nullif(avg(m.ns), 0) as "of a step|percent",
	1.0 * coalesce(max(l.times), 0) / count(*) as "Was last|percent|share of the steps in which it was the slowest rank"
from ordered o join middle m on m.n = o.n join process p on p.id = o.process_id
	left join node d on d.id = p.node_id left join last l on l.process_id = o.process_id
where p.rank is not null group by p.id order by avg(o.ns - m.ns) desc;
