-- Step time over the ranks, at most about 1000 points: neighbouring steps of a
-- phase are joined (their minimum, mean median, maximum) where there are more.
with width as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w from step where run_id = :run
), common as (	-- a series each; what is left shares one
	select f.name from step s join phase f on f.id = s.phase_id where s.run_id = :run
	group by f.name order by count(*) desc, f.name limit 7
), ordered as (
	select case when f.name is null then 'steps' when f.name in common then f.name else 'other phases' end as phase, s.n, (s.end_ns - s.start_ns) / 1e6 as ms,
		row_number() over (partition by s.n order by s.end_ns - s.start_ns) as nth,
		count(*) over (partition by s.n) as many
	from step s left join phase f on f.id = s.phase_id where s.run_id = :run and s.cut = 0
), each as (
	select phase, n, min(ms) as least, max(ms) as most,
		avg(case when nth in ((many + 1) / 2, many / 2 + 1) then ms end) as median
	from ordered group by phase, n
)
select phase as "Phase|block", min(n) as "Step|count", min(least) as "Fastest rank (ms)|number",
	avg(median) as "Median (ms)|number", max(most) as "Slowest rank (ms)|number"
from each, width group by phase, n / w
order by min(min(n)) over (partition by phase), phase, min(n);
