-- Step times of all ranks in 50 classes from the 0.5th to the 99.5th percentile, per phase.
with outside as (	-- so many steps are beyond either edge: with a limit SQLite keeps only them
	select max(0, count(*) - 1) / 200 as many from step where run_id = :run and cut = 0
), edge as (
	select (select end_ns - start_ns as ns from step where run_id = :run and cut = 0 order by ns limit 1 offset (select many from outside)) as low,
		(select end_ns - start_ns as ns from step where run_id = :run and cut = 0 order by ns desc limit 1 offset (select many from outside)) as high
), width as (
	select low / 1e6 as low, max((high - low) / 50e6, 1e-6) as w from edge
), counted as materialized (
	select f.name, max(0, min(49, cast(((s.end_ns - s.start_ns) / 1e6 - low) / w as integer))) as class, count(*) as steps, min(s.n) as first
	from width cross join step s left join phase f on f.id = s.phase_id where s.run_id = :run and s.cut = 0 group by 2, 1
), common as (	-- a series each; what is left shares one
	select name from counted where name is not null group by name order by sum(steps) desc, name limit 7
), class as (
	select case when name is null then 'steps' when name in common then name else 'other phases' end as phase, class, sum(steps) as steps,
		min(first) as first
	from counted group by 1, 2
)
select phase as "Phase|block", low + (0.5 + class) * w as "Step time (ms)|number", steps as "Steps|count", w as "Width (ms)|number"
from class, width order by min(first) over (partition by phase), phase, class;
