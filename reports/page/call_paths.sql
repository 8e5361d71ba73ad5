-- For the trees of calls, executed before them: the temporary table `tree_node` has the regions
-- of ranks' main threads by the names on the way to them, of each rank, and of all together (rank
-- null).
create temp table tree_node as
with recursive way(process_id, n, depth, way) as (
	select process_id, n, 0, name from call_path where run_id = :run and caller is null
	union all
	select c.process_id, c.n, w.depth + 1, w.way || char(31) || c.name
	from way w join call_path c on c.run_id = :run and c.process_id = w.process_id
		and c.caller = w.n
	where w.depth < 40
), named as (
	select p.rank, w.way, w.depth, c.name, c.class, c.calls, c.total_ns as ns,
		case when w.depth > 0 then substr(w.way, 1, length(w.way) - length(c.name) - 1)
			end as above
	from way w join call_path c on c.run_id = :run and c.process_id = w.process_id and c.n = w.n
		join process p on p.id = w.process_id where p.rank is not null
)
select rank, way, above, depth, name, max(class) as class, sum(calls) as calls, sum(ns) as ns
from named group by rank, way
union all
select null, way, above, depth, name, max(class), sum(calls), sum(ns) from named group by way;
create temp table tree_rows as
select row_number() over (order by depth, ns desc, way) as place, *
from tree_node where rank is null
	-- only where something of the program's own was entered, and something in it
	and exists (select 1 from tree_node t join tree_node u on u.way = t.above
		where u.class = 'user');
