-- needs: call_paths
-- The tree of calls of all ranks' main threads: regions that took at least 0.2 % of the run.
with whole as (
	select ns * (select count(distinct rank) from tree_node) as ns
	from run_time where run_id = :run
)
select t.place as "Place|count", u.place as "Caller|count", t.depth as "Depth|count",
	t.ns as "Time|ns", 1.0 * t.ns / w.ns as "Share|percent", t.calls as "Calls|count",
	t.name as "Function|path", t.calls || ' ×' as "Line|path",
	case t.class when 'user' then 'own' else 'library' end as "Code"
from tree_rows t join whole w left join tree_rows u on u.way = t.above
where t.ns >= 0.002 * w.ns order by t.depth, t.ns desc, t.way limit 1500;
