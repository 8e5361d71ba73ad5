-- What to change, most seconds saved first. Notes on quality save nothing. Rows: part of the page;
-- Filter: what those of its rows hold that show it, of tables that name ranks the rank. Both are
-- of the rule (key `rows:`).
-- Shared: 1 % of the run or more.
with reported as (
	select f.*, s.value as part, case when s.detail <> 'rank' then s.detail
		else 'rank ' || culprit_rank end as filter
	from finding f left join rule_key s on s.rule = f.rule and s.key = 'rows'
	where f.run_id = :run
)
select n as "#|count", case when seconds > 0 then seconds * 1e9 end
	as "Saves|ns|of the run's time, by the replay or the model that 'How sure' names",
	case when seconds = 0 then 'it makes the others uncertain' end as "|why",
	message as "Finding", advice as "Advice", confidence as "How sure",
	evidence as "Evidence|path|a query on tacho.db whose rows prove it",
	part as "Rows|state", filter as "Filter|state", is_bound as "Bound|state",
	certainty as "Certainty|state",
	(select printf('up to %.*f s of these are also in finding %s',
		case when s.seconds < 10 then 2
			when s.seconds < 100 then 1 else 0 end, s.seconds, s.others)
		from finding_shared s join run_time r on r.run_id = s.run_id
		where s.run_id = :run and s.n = reported.n
			and s.seconds >= 0.01e-9 * r.ns)
		as "Shared"
from reported order by n;
