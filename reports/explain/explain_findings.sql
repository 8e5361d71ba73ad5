-- Statements of tacho explain: what the advisor found, most seconds first.
select 'finding.' || rule || case nth when 1 then '' else '.' || nth end as "Key",
	1 as "Level|count", seconds as "Seconds|number",
	message || coalesce(' → ' || advice, '') || coalesce(' (confidence ' || confidence ||
		')', '')
		as "Sentence",
	evidence as "Query"
from (select rule, n, seconds, message, advice, confidence, evidence,
	row_number() over (partition by rule order by n) as nth
	from finding where run_id = :run)
order by n;
