-- Step times of all ranks in 50 classes from the 0.5th to the 99.5th percentile, per phase.
with common as (	-- a series each; what is left shares one
	select phase from step_of_ranks where phase is not null group by phase order by sum(ranks) desc, phase limit 7
), began as (
	select case when phase is null then 'steps' when phase in common then phase else 'other phases' end as phase, min(n) as first
	from step_of_ranks where ranks > 0 group by 1
), outside as (	-- so many steps are beyond either edge: with a limit SQLite keeps only them
	select coalesce((sum(ranks) - 1) / 200, 0) as many from step_of_ranks
), edge as (
	select (select end_ns - start_ns as ns from step where run_id = :run and cut = 0 order by ns limit 1 offset (select many from outside)) as low,
		(select end_ns - start_ns as ns from step where run_id = :run and cut = 0 order by ns desc limit 1 offset (select many from outside)) as high
), width as (
	select low / 1e6 as low, max((high - low) / 50e6, 1e-6) as w from edge
), counted as (
	select f.name, max(0, min(49, cast(((s.end_ns - s.start_ns) / 1e6 - low) / w as integer))) as class, count(*) as steps
	from width cross join step s left join phase f on f.id = s.phase_id where s.run_id = :run and s.cut = 0 group by 2, 1
), class as (
	select case when name is null then 'steps' when name in common then name else 'other phases' end as phase, class, sum(steps) as steps
	from counted group by 1, 2
)
select c.phase as "Phase|block", low + (0.5 + class) * w as "Step time (ms)|number", steps as "Steps|count", w as "Width (ms)|number"
from class c join began b on b.phase = c.phase, width
order by b.first, c.phase, class;
