-- needs: step_tables
-- The phases in the order they began, of very many the longest first: time from the first rank in
-- to the last out, summed over the instances; samples per second over what was recorded of it. Of
-- runs with GPUs what these compute is useful: hosts only feed them.
with whole as (
	select name, instances, ns, first_ns as first, cut from phase_all where run_id = :run
), gpu as (
	select exists (select 1 from metric where run_id = :run and "window" = 'run'
			and model = 'device'
		and name = 'device_parallel_efficiency' and value is not null) as any
), counted as (
	select phase as name, samples, steps from phase_steps where phase is not null
)
select w.name as "Phase", w.instances as "Instances|count", w.ns as "Time|ns",
	1.0 * w.ns / nullif(r.ns, 0) as "Of the run|percent",
	m.value
		as "Useful|efficiency|useful time ÷ time of the phase; of GPUs if there are any",
	case when m.value is null then coalesce(m.flag, 'not computed for this phase')
			else m.flag end as "|why", c.steps as "Steps|count",
	c.samples as "Samples|count",
	c.samples * 1e9 / nullif(w.ns - coalesce(l.ns, 0), 0) as "Samples/s|number",
	case when c.samples is null
			then 'the program reported no samples for it (see tacho_step_end)'
		when l.ns > 0 then 'events were lost: over the time that was recorded' end
		as "|why",
	'the program marked no steps in it' as "*|why",
	case w.cut when 1 then 'truncated' else 'complete' end as "End"
from whole w join gpu g join run_time r on r.run_id = :run left join counted c on c.name = w.name
	left join lost_time l on l.run_id = :run and l."window" = 'phase:' || w.name
	left join metric m on m.run_id = :run and m."window" = 'phase:' || w.name and m.subject = ''
		and m.model = case when g.any then 'device' else 'host' end
		and m.name = case when g.any then 'device_parallel_efficiency'
				else 'host_parallel_efficiency' end
order by case when (select count(*) from whole) > 1000 then -w.ns end, w.first;
