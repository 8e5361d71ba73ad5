-- Large NCCL operations of a size class that reach far less than the best of the same operation:
-- the link can do it, so algorithm, protocol or transport were chosen badly for them.
with large as (
	select op, coalesce(algorithm, '') as algorithm, bytes, end_ns - last_ns as ns, busbw
	from collective
	where run_id = :run and kind = 'nccl' and bytes >= :fused and busbw > 0
		and end_ns > last_ns
), best as (
	select op, max(busbw) as busbw from (
		select op, busbw, row_number() over (partition by op order by busbw desc) as nth,
			count(*) over (partition by op) as many from large)
	where nth > many / :best_of group by op
), slow as (
	select l.op, l.algorithm, count(*) as calls, sum(l.ns) as ns,
		sum(l.ns * l.busbw) / sum(l.ns) as busbw,
		sum(l.ns * (1 - l.busbw / b.busbw)) as lost, b.busbw as best
	from large l join best b on b.op = l.op where l.busbw < :slow_rate * b.busbw
	group by l.op, l.algorithm
), exposed as (
	select 1.0 * sum(case when state = 'nccl_transfer' then ns else 0 end) as ns
	from finding_gpu
), moved as (
	select 1.0 * sum(ns) as ns from large
)
select s.lost / 1e9 * min(1, e.ns / m.ns) as seconds, s.calls, s.op,
	nullif(s.algorithm, '') as algorithm, s.busbw / 1e9 as gb, s.best / 1e9 as best_gb
from slow s, exposed e, moved m, finding_run r where s.calls >= :instances and e.ns > 0;
