-- Ranks whose steps take longer than the median of all ranks of the same step.
with ordered as (
	select process_id, n, end_ns - start_ns as ns, row_number() over (partition by n order by end_ns - start_ns) as nth,
		count(*) over (partition by n) as many
	from step where run_id = :run and cut = 0
), measured as (
	select process_id, ns, nth = many as last,
		avg(case when nth in ((many + 1) / 2, many / 2 + 1) then ns end) over (partition by n) as median
	from ordered where many > 1
)
select 'rank ' || p.rank as "Rank", d.hostname as "Node", count(*) as "Steps|count", avg(m.ns) as "Mean step|ns",
	avg(m.ns - m.median) as "Longer by|ns|mean difference to the median of all ranks of the same step",
	avg(m.ns - m.median) / nullif(avg(m.median), 0) as "of a step|percent",
	avg(m.last) as "Was last|percent|share of the steps in which it was the slowest rank"
from measured m join process p on p.id = m.process_id left join node d on d.id = p.node_id
where p.rank is not null group by p.id order by avg(m.ns - m.median) desc;
