-- What the program gave by tacho_metric(), a row per name; the one with the target first.
with target as (
	select e.value as said, rtrim(substr(e.value, 1, min(instr(e.value || '=', '='),
		instr(e.value || '<', '<'), instr(e.value || '>', '>')) - 1)) as name,
		(select value from metric m where m.run_id = :run and m.model = 'training'
			and m.name = 'time_to_target') as ns,
		(select flag from metric m where m.run_id = :run and m.model = 'training'
			and m.name = 'time_to_target') as why,
		(select value from metric m where m.run_id = :run and m.model = 'training'
			and m.name = 'steps_to_target') as steps
	from environment e where e.run_id = :run and e.scope = '' and e.key = 'TACHO::TARGET'
)
select t.name as "Name", t.given as "Values|count|given by a rank", t.first as "First|number",
	'not a number' as "|why", t.last as "Last|number", 'not a number' as "|why",
	t.best as "Best|number", 'none is a number' as "|why",
	nullif(t.no_numbers, 0) as "Not numbers|count|NaN", 'all are numbers' as "|why",
	g.said as "Target|text", 'no target was given: --target' as "|why",
	g.ns as "Reached after|ns|time to quality: from the start of the run",
	coalesce(g.why, 'no target was given: --target') as "|why",
	g.steps as "Steps|count|begun until then",
	coalesce(g.why, 'no target was given: --target') as "|why"
from training t left join target g on g.name = t.name
where t.run_id = :run order by g.name is null, t.name limit 100;
