-- A value that all share is one row; else a row per value with the scopes that have it.
with e as (
	select case when scope like 'node:%' then 'nodes' when scope like 'rank:%' then 'ranks'
			else 'run' end as kind, scope, key, value
	from environment where run_id = :run
), total as (
	select kind, key, count(*) as n from e group by kind, key
)
select e.key as "Key|path", e.value as "Value|path",
	case when e.kind = 'run' then 'the run' when count(*) = t.n
			and t.n > 1 then 'all ' || t.n || ' ' || e.kind
	when count(*) > 8 then count(*) || ' ' || e.kind
	else replace(replace(group_concat(e.scope, ', '), 'rank:', 'rank '), 'node:', '') end
		as "Where"
from e join total t on t.kind = e.kind and t.key = e.key
group by e.kind, e.key, e.value order by e.kind <> 'run', e.kind, e.key, count(*) desc limit 2000;
