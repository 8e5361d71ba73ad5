-- needs: call_paths
-- Where ranks differ in the tree of calls: regions by how much longer than the mean one took.
with of_ranks as (
	select way, depth, count(*) as n, avg(ns) as mean, max(ns) as most, min(ns) as least
	from tree_node where rank is not null group by way having count(*) > 1
), run_ns as (
	select ns from run_time where run_id = :run
)
select replace(o.way, char(31), ' › ') as "Region|path", t.class as "Class", o.mean as "Mean|ns",
	o.least as "Least|ns", o.most as "Most|ns",
	(select rank from tree_node m where m.way = o.way and m.rank is not null
		order by m.ns desc, m.rank limit 1) as "of rank|count",
	o.most / nullif(o.mean, 0) as "Max ÷ mean|number"
from of_ranks o join tree_rows t on t.way = o.way join run_ns r
where o.most - o.mean >= 0.005 * r.ns order by o.most - o.mean desc, o.way limit 300;
