-- Speed-up by size against the smallest of the configuration.
with many as (
	select configuration from study where rate is not null group by configuration
	having count(distinct units) > 1
)
select configuration as "Configuration|block", units as "Ranks or GPUs|count",
	rate / nullif(first_value(rate) over w, 0) * first_value(units) over w as "Speed-up|number"
from study where rate is not null and configuration in many
window w as (partition by configuration order by units) order by configuration, units;
