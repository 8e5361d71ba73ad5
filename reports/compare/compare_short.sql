-- Of runs whose steps last less than a core may be slower for a moment with no counter telling: of
-- each side the time below which a tenth of its steps, or samples, stay; and the shorter run.
with long as (
	select side, sum(step_ns) / 1e9 as s from side_time group by side
), ordered as (
	select side, ns, row_number() over (partition by side order by ns) as nth,
		count(*) over (partition by side) as n from side_time
)
select side as "Side", min(ns) as "shortest", (select min(s) from long) as "s" from ordered
where 10 * nth >= n and (select min(s) < drift_s from long cross join noise_constant)
group by side order by side;
