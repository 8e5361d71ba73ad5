-- needs: ladder_tables
-- The time of all steps, and what is left of it without each cause and all causes above it.
select 'today' as "Without", (takes_ns + saves_ns) / 1e9 as "Seconds|number", 0 as "Saves|number"
from temp.ladder where n = (select min(n) from temp.ladder where part not glob '*_outside')
union all
select * from (select n || '  ' || cause, takes_ns / 1e9, saves_ns / 1e9
	from temp.ladder where part not glob '*_outside' order by n limit 12);
