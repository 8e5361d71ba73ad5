-- needs: ladder_tables
-- Statements of tacho explain, on demand: what the duration of the run is made up of, and each
-- cause of lost time.
select 'account' as "Key", 2 as "Level|count", sum(a.ns) / 1e9 as "Seconds|number",
	printf('the run lasted %.3g s: ', sum(a.ns) / 1e9) || group_concat(case a.what
		when 'cause' then printf('%.3g s are lost to %s%s', a.ns / 1e9, l.cause,
			coalesce(' in ' || l.place, ''))
		when 'start' then printf('%.3g s are before the first step', a.ns / 1e9)
		when 'end' then printf('%.3g s are after the last step', a.ns / 1e9)
		when 'rest' then printf('%.3g s are in no rank''s own time', a.ns / 1e9)
		else printf('%.3g s of the steps are %s', a.ns / 1e9, case a.what
			when 'compute' then 'computing' when 'io' then 'I/O' when 'wait' then
				'waiting' when 'omp_idle' then 'idle threads' else a.what end) end,
		'; ') as "Sentence",
	printf('select n, what, cause, ns / 1e9 as s from account where run_id = %d order by n',
		:run) as "Query"
from (select * from account where run_id = :run order by n) a
	left join temp.ladder l on l.n = a.cause
having count(*) > 0
union all
select 'cause.' || n, 2, saves_ns / 1e9,
	printf('%s%s: without it%s the %s %.3g s instead of %.3g', cause,
		coalesce(' in ' || place, ''), iif(n > 1, ' and the causes before it', ''),
		iif(part glob '*_outside', 'time outside of steps would take', 'steps would take'),
		takes_ns / 1e9, (takes_ns + saves_ns) / 1e9),
	printf('select part, ranks, place, steps, first_step, last_step, own_ns / 1e9 as own_s, '
		|| 'saves_ns / 1e9 as saves_s from cause where run_id = %d and n = %d', :run, n)
from (select * from temp.ladder order by n limit 9);
