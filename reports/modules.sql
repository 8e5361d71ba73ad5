-- Modules of PyTorch by the time that ranks were seen in their forward(), with the modules in them.
-- The interval is that of a share of so many samples, for 95 %.
with seen as materialized (
	select module, class, depth, sum(ns) as ns, sum(samples) as samples from python_module
	where run_id = :run group by module
), whole as (
	select sum(ns) as ns, sum(samples) as samples, (select count(distinct rank)
		from python_module where run_id = :run) as ranks from seen
), level(module, depth) as ( -- those too in which only others were seen
	select module, depth from seen
	union
	select rtrim(substr(module, 1, length(module) - length(replace(module,
		rtrim(module, replace(module, '>', '')), '')) - 2)), depth - 1
	from level where depth > 1
), spent as (
	select l.module, l.depth, sum(s.ns) as ns, total(iif(s.module = l.module, s.ns, 0)) as own
	from level l join seen s on s.module = l.module
		or substr(s.module, 1, length(l.module) + 3) = l.module || ' > '
	group by l.module
), share as (
	select s.*, 1.0 * s.ns / w.ns as share, w.samples, w.ranks from spent s join whole w
	where w.ns > 0
)
select module
		as "Module|path|classes from the model on, each with the line that calls it",
	1.0 * ns / ranks as "Per rank|ns|mean over the ranks, with the modules in it",
	share as "Share|percent|of the time in modules",
	1.96 * sqrt(share * (1 - share) / samples)
		as "±|percent|of the time in modules: by chance, for 95 %",
	own / ranks as "Own|ns|per rank, without the modules in it"
from share where share >= 0.005 order by share desc, depth, module limit 100;
