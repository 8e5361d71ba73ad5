-- Samples per second by size, a series per configuration; where a configuration has one size, there
-- is no series to see.
with many as (
	select configuration from study where rate is not null group by configuration
	having count(distinct units) > 1
)
select configuration as "Configuration|block", units as "Ranks or GPUs|count",
	rate as "Samples/s|number",
	first_value(rate) over w * units / first_value(units) over w as "If it scaled|number",
	coalesce((select least_rate from sweep_point p where p.run_id = study.run_id), (select
		min(o.rate) from study o where o.configuration = study.configuration
		and o.units = study.units)) as "Least|number",
	coalesce((select most_rate from sweep_point p where p.run_id = study.run_id), (select
		max(o.rate) from study o where o.configuration = study.configuration
		and o.units = study.units)) as "Most|number"
from study where rate is not null and counts and configuration in many
window w as (partition by configuration order by units) order by configuration, units;
