-- needs: step_tables
-- Step times of all ranks in 50 classes from the 0.5th to the 99.5th percentile, per phase.
-- so many steps are beyond either edge: with a limit SQLite keeps only them
with recursive outside as (
	select max(0, coalesce(sum(ranks), 0) - 1) / 200 as many from step_of_ranks
), edge as (
	select (select end_ns - start_ns as ns from step where run_id = :run and cut = 0 order by ns
			limit 1 offset (select many from outside)) as low,
		(select end_ns - start_ns as ns from step where run_id = :run and cut = 0
				order by ns desc limit 1 offset (select many from outside)) as high
), width as (
	select low / 1e6 as low, max((high - low) / 50e6, 1e-6) as w from edge
), classes(class) as (
	select 0 union all select class + 1 from classes where class < 49
-- by series and class: of many phases a sum each would be read through for every other
), counted as materialized (
	select sums(f.number * 50
			+ max(0,
				min(49, cast(((s.end_ns - s.start_ns) / 1e6 - low)
				/ w as integer))), 'steps', 1) as steps
	from width cross join step s cross join phase_median f on f.id = coalesce(s.phase_id, 0)
	where s.run_id = :run and s.cut = 0
), name as (
	select phase as name, min(n) as first,
		(select number from phase_median
				where id = coalesce((select min(id) from phase
					where run_id = :run and name = e.phase), 0)) as number
	from step_of_ranks e where ranks > 0 group by phase
), series as (
	select case number when 0 then 'steps' when 8 then 'other phases' else name end as phase,
		number, min(first) as first
	from name group by number
), class as (
	select phase, class, sum_of(steps, number * 50 + class, 'steps') as steps, first
	from series cross join classes cross join counted
)
select phase as "Phase|block", low + (0.5 + class) * w as "Step time (ms)|number",
	cast(steps as integer) as "Steps|count", w as "Width (ms)|number"
from class, width where steps > 0 order by first, phase, class;
