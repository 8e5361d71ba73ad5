-- Stragglers: ranks that were slow over a range of steps, by how long others waited for them.
with ranks as (
	select max(count(distinct rank) - 1, 1) as others from process where run_id = :run
)
select 'rank ' || g.rank as "Rank", d.hostname as "Node", g.since_step as "Since step|count",
	case g.lasting when 1 then 'the end' else 'step ' || g.until_step end as "Until",
	case g.cause when 'compute' then 'compute' when 'io' then 'I/O' when 'link' then 'its link'
			when 'sleep' then 'sleeping' when 'readers' then 'its data-loader workers'
			else 'the host' end
		as "Slow in||cause of most of it; host: waiting, CUDA calls, its own computing",
	g.excess_ns
		as "Slower by|ns|per step, without waiting, above the median of the other ranks",
	g.share as "of a step|percent|share of the own time of the other ranks",
	g.waited_ns / r.others
		as "Others waited|ns|for it: each of the other ranks on average",
	g.confidence as "How sure|percent"
from straggler g join ranks r left join process p on p.run_id = g.run_id and p.rank = g.rank
	left join node d on d.id = p.node_id
where g.run_id = :run order by g.waited_ns desc, g.rank, g.since_step limit 100;
