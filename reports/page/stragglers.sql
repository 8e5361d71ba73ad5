-- needs: step_tables
-- Ranks by their own time of a step: without the time for which they waited for other ranks in MPI,
-- since all ranks of a synchronised step take equally long. Steps are read in the order of their
-- key: nothing is sorted but the ranks, stragglers first.
with measured as (
	select s.process_id, count(*) as steps, avg(s.end_ns - s.start_ns) as mean,
		avg(s.end_ns - s.start_ns - coalesce(s.waited_ns, 0)) as own,
		avg(e.own_median) as median,
		avg(s.end_ns - s.start_ns - coalesce(s.waited_ns, 0) = e.own_most) as last
	from step s left join phase f on f.id = s.phase_id
		cross join step_of_ranks e on e.n = s.n and e.phase is f.name
	where s.run_id = :run and s.cut = 0 and e.ranks > 1 group by s.process_id
)
select 'rank ' || p.rank as "Rank", d.hostname as "Node", m.steps as "Steps|count",
	m.mean as "Mean step|ns", m.own as "Own time|ns|of a step, without waiting for other ranks",
	m.own - m.median
		as "Longer by|ns|mean difference to the median of all ranks of the same step",
	(m.own - m.median) / nullif(m.median, 0) as "of a step|percent",
	m.last as "Was last|percent|share of the steps in which it was the slowest rank"
from measured m join process p on p.id = m.process_id left join node d on d.id = p.node_id
where p.rank is not null
order by (select total(waited_ns) from straggler g where g.run_id = :run and g.rank = p.rank) desc,
	m.own - m.median desc, p.rank;
