-- Speed-up by size against the smallest of the configuration, as in tacho scaling; times its size,
-- so that the ideal is one line.
select configuration as "Configuration|block", units as "Ranks or GPUs|count",
	speedup * ref_units as "Speed-up|number"
from scaled where "window" = 'run' and speedup is not null order by configuration, units;
