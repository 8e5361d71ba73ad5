-- needs: ladder_tables
select n as "#|count", cause as "Without|text|the cause that is taken out, next to those above it",
	place as "Place|path|the line of Python, else the call, that most of it is in",
	case when place is null then 'no line or call had most of it' end as "|why",
	nullif(steps, 0) as "Steps|count|in which one of the ranks had it",
	case when part glob '*_outside' and not exists (select 1 from step where run_id = :run)
			then 'no steps'
		when part not glob '*_outside' then first_step || ' to ' || last_step
		when first_step = -1 then 'after the last' else 'before the first' end
		as "First, last",
	saves_ns as "Saves|ns|how much less than without the causes above",
	takes_ns as "Then|ns|what all steps take, or for a cause outside of steps the time there"
from temp.ladder order by n;
