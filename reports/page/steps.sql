-- needs: step_tables
-- Step time over the ranks, at most about 1000 points: neighbouring steps of a
-- phase are joined (their minimum, mean median, maximum) where there are more.
with width as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w from step_of_ranks where ranks > 0
), common as (	-- a series each; what is left shares one
	select phase from step_of_ranks where phase is not null group by phase
	order by sum(ranks) desc, phase limit 7
), each as (
	select case when phase is null then 'steps' when phase in common then phase
			else 'other phases' end as phase, n,
		least / 1e6 as least, median / 1e6 as median, most / 1e6 as most
	from step_of_ranks where ranks > 0
)
select phase as "Phase|block", min(n) as "Step|count", min(least) as "Fastest rank (ms)|number",
	avg(median) as "Median (ms)|number", max(most) as "Slowest rank (ms)|number"
from each, width group by phase, n / w
order by min(min(n)) over (partition by phase), phase, min(n);
