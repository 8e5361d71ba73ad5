-- needs: ladder_tables
select n as "|count", cause as "Without|text|the cause that is taken out, next to those above it",
	place as "Place|path|the line of Python, else the call, that most of it is in",
	case when place is null then 'no line or call had most of it' end as "|why",
	steps as "Steps|count|in which one of the ranks had it",
	first_step || ' to ' || last_step as "First, last",
	saves_ns as "Saves|ns|how much less than without the causes above",
	takes_ns as "Then|ns|what all steps take, or for sleep outside of steps the time there"
from temp.ladder order by n;
