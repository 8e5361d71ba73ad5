-- needs: ladder_tables
-- Statement of tacho explain: what the steps take without the causes of their time.
select 'ladder' as "Key", 1 as "Level|count", max(takes_ns + saves_ns) / 1e9 as "Seconds|number",
	printf('the steps take %.3g s', max(takes_ns + saves_ns) / 1e9)
		|| group_concat(printf('; %.3g s without %s%s%s', takes_ns / 1e9, cause,
			coalesce(' in ' || place, ''), iif(n > 1, ' as well', '')), '')
		as "Sentence",
	printf('select n, part, ranks, place, steps, takes_ns / 1e9 as takes_s, saves_ns / 1e9 as '
		|| 'saves_s from cause where run_id = %d order by n', :run) as "Query"
from (select * from temp.ladder where part not glob '*_outside' order by n limit 4)
having count(*) > 0;
