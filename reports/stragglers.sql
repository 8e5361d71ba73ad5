-- needs: step_tables
-- Ranks whose steps take longer than the median of all ranks of the same step. Steps are read in
-- the order of their key: nothing is sorted but the ranks.
with measured as (
	select s.process_id, count(*) as steps, avg(s.end_ns - s.start_ns) as mean,
		avg(e.median) as median,
		avg(s.end_ns - s.start_ns = e.most) as last
	from step s left join phase f on f.id = s.phase_id
		cross join step_of_ranks e on e.n = s.n and e.phase is f.name
	where s.run_id = :run and s.cut = 0 and e.ranks > 1 group by s.process_id
)
select 'rank ' || p.rank as "Rank", d.hostname as "Node", m.steps as "Steps|count",
	m.mean as "Mean step|ns",
	m.mean - m.median
		as "Longer by|ns|mean difference to the median of all ranks of the same step",
	(m.mean - m.median) / nullif(m.median, 0) as "of a step|percent",
	m.last as "Was last|percent|share of the steps in which it was the slowest rank"
from measured m join process p on p.id = m.process_id left join node d on d.id = p.node_id
where p.rank is not null order by m.mean - m.median desc, p.rank;
