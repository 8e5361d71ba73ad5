-- Modules of PyTorch by the time that ranks were seen in their forward(), with the modules in them.
-- The interval is that of a share of so many samples, for 95 %.
with seen as materialized (
	select module, sum(ns) as ns, sum(samples) as samples from python_module
	where run_id = :run group by module
), whole as (
	select sum(ns) as ns, sum(samples) as samples, (select count(distinct rank)
		from python_module where run_id = :run) as ranks from seen
), level as materialized ( -- those too in which only others were seen
	select module, depth, min(class) as class, iif(count(distinct called_at) > 1,
		count(distinct called_at) || ' lines', min(called_at)) as line
	from python_module_frame where run_id = :run and is_module group by module, depth
), spent as (
	select l.*, sum(s.ns) as ns, total(iif(s.module = l.module, s.ns, 0)) as own
	from level l join seen s on s.module = l.module
		or substr(s.module, 1, length(l.module) + 1) = l.module || '.'
		or substr(s.module, 1, length(l.module) + 2) = l.module || ': '
		or substr(s.module, 1, length(l.module) + 3) = l.module || ' > '
	group by l.module, l.depth
), share as (
	select s.*, 1.0 * s.ns / w.ns as share, w.samples, w.ranks from spent s join whole w
	where w.ns > 0
)
select module as "Module|path|the model's class and line, then attributes",
	class as "Class|path|whose forward() it is", line as "Called at|path",
	1.0 * ns / ranks as "Per rank|ns|mean over the ranks, with the modules in it",
	share as "Share|percent|of the time in modules",
	1.96 * sqrt(share * (1 - share) / samples)
		as "±|percent|of the time in modules: by chance, for 95 %",
	own / ranks as "Own|ns|per rank, without the modules in it"
from share where share >= 0.005 order by share desc, depth, module limit 100;
