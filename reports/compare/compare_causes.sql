-- The call of input or output that explains most of a longer step, which contention does not: the
-- time that one rank spends more in it per step (sample, run). All of it is also more in the state
-- io of the rank. Calls that wait for other ranks are left out. `base` and `new`: time per step.
with called as (
	select h.side, p.rank, c.name, sum(c.total_ns) * 1.0 / h.units as ns
	from share h join call c on c.run_id = h.run_id join process p on p.id = c.process_id
	where p.rank is not null and c.class = 'io' group by h.side, p.rank, c.name
), spent as (
	select h.side, p.rank, sum(t.ns) * 1.0 / h.units as ns
	from share h join host_time t on t.run_id = h.run_id and t."window" = h."window"
		join process p on p.id = t.process_id
	where p.rank is not null and t.state = 'io' group by h.side, p.rank
), joined as (
	select rank, name, total(ns) filter (where side = 1) as base,
		total(ns) filter (where side = 2) as new
	from called group by rank, name
), reading as (
	select rank, total(ns) filter (where side = 2) - total(ns) filter (where side = 1) as ns
	from spent group by rank
)
select j.name, j.rank, j.base, j.new, min(j.new - j.base, r.ns) as difference
from joined j join reading r using (rank) where j.new > j.base and r.ns > 0
order by difference desc, j.name, j.rank limit 1;
