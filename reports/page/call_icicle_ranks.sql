-- needs: call_paths
-- The same of each rank, next to each other: of at most 8 ranks.
with whole as (
	select ns, (select count(distinct rank) from tree_node) as ranks
	from run_time where run_id = :run
), node as (
	select row_number() over (order by depth, rank, ns desc, way) + 100 as place, *
	from tree_node where rank is not null and exists (select 1 from tree_rows)
), box as (
	select distinct -1 - n.rank as place, null as caller, 0 as depth, n.rank, w.ns, 1 as calls,
		'rank ' || n.rank as name, 'user' as class
	from node n join whole w
	union all
	select n.place, coalesce(u.place, -1 - n.rank), n.depth + 1, n.rank, n.ns, n.calls, n.name,
		n.class
	from node n left join node u on u.rank = n.rank and u.way = n.above
)
select b.place as "Place|count", b.caller as "Caller|count", b.depth as "Depth|count",
	b.ns as "Time|ns", 1.0 * b.ns / (w.ns * w.ranks) as "Share|percent",
	b.calls as "Calls|count", b.name as "Function|path",
	case b.depth when 0 then '' else b.calls || ' ×' end as "Line|path",
	case b.class when 'user' then 'own' else 'library' end as "Code"
from box b join whole w
where w.ranks between 2 and 8 and b.ns >= 0.005 * w.ns
order by b.depth, case b.depth when 0 then b.rank else 0 end, b.ns desc, b.place limit 1500;
