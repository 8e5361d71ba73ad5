-- The same by class: what ranks were in of its own, as an operator.
with seen as (
	select class, sum(ns) as ns, sum(samples) as samples, count(distinct module) as modules
	from python_module where run_id = :run group by class
), share as (
	select *, 1.0 * ns / sum(ns) over () as share, sum(samples) over () as n,
		(select count(distinct rank) from python_module where run_id = :run) as ranks
	from seen
)
select class as "Class|path|of nn.Module",
	modules as "Places|count|in the model",
	1.0 * ns / ranks as "Per rank|ns|mean over the ranks, without the modules in it",
	share as "Share|percent|of the time in modules",
	1.96 * sqrt(share * (1 - share) / n)
		as "±|percent|of the time in modules: by chance, for 95 %"
from share where share > 0 order by share desc, class limit 50;
