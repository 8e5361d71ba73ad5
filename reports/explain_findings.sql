-- Statements of tacho explain: what the advisor found, most seconds first.
select 'finding.' || rule || case n when 1 then '' else '.' || n end as "Key",
	1 as "Level|count", seconds as "Seconds|number",
	message || coalesce(' → ' || advice, '') || coalesce(' (confidence ' || confidence ||
		')', '')
		as "Sentence",
	evidence as "Query"
from (select rule, rank, seconds, message, advice, confidence, evidence,
	row_number() over (partition by rule order by rank) as n
	from finding where run_id = :run)
order by rank;
