-- Step times of all ranks in 50 classes from the 0.5th to the 99.5th percentile, per phase.
with common as (	-- a series each; what is left shares one
	select f.name from step s join phase f on f.id = s.phase_id where s.run_id = :run
	group by f.name order by count(*) desc, f.name limit 7
), t as (
	select case when f.name is null then 'steps' when f.name in common then f.name else 'other phases' end as phase, s.n, (s.end_ns - s.start_ns) / 1e6 as ms
	from step s left join phase f on f.id = s.phase_id where s.run_id = :run and s.cut = 0
), began as (
	select phase, min(n) as first from t group by phase
), ranked as (
	select ms, row_number() over (order by ms) as nth, count(*) over () as many from t
), edge as (
	select min(case when nth >= many * 0.005 then ms end) as low, max(case when nth <= many * 0.995 + 1 then ms end) as high from ranked
), width as (
	select low, max((high - low) / 50, 1e-6) as w from edge
), class as (
	select phase, max(0, min(49, cast((ms - low) / w as integer))) as class, count(*) as steps from t, width group by 1, 2
)
select c.phase as "Phase|block", low + (0.5 + class) * w as "Step time (ms)|number", steps as "Steps|count", w as "Width (ms)|number"
from class c join began b on b.phase = c.phase, width
order by b.first, c.phase, class;
