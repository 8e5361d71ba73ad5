-- Gradients are exchanged several times before an optimizer steps once: no_sync() is not used
-- around micro-batches. All exchanges but one of each step are spared; each takes the time in which
-- a rank waits at the end of a backward pass for the exchange.
with exchanged as (
	select p.rank, total(case c.name when 'torch:optimizer' then c.calls end) as steps,
		total(case c.name when 'torch:DDP.finalize_backward' then c.calls end) as times,
		total(case c.name when 'torch:DDP.finalize_backward' then c.total_ns end) as ns
	from process p cross join call c on c.run_id = p.run_id and c.process_id = p.id
		and c.name in ('torch:optimizer', 'torch:DDP.finalize_backward')
	where p.run_id = :run and p.rank is not null group by p.rank
)
select min(ns * (1 - steps / times)) / 1e9 as seconds, sum(times) / sum(steps) as per_step,
	sum(ns) / sum(times) / 1e6 as each_ms
from exchanged having min(steps) > :stop_times and min(times) >= :micro_times * max(steps);
