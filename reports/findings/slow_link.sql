-- Large NCCL operations of a size class that reach far less than the best of the same operation:
-- the link can do it, so algorithm, protocol or transport were chosen badly for them.
with large as (
	select op, coalesce(algorithm, '') as algorithm, bytes, end_ns - last_ns as ns, busbw
	from collective
	where run_id = :run and kind = 'nccl' and bytes >= 4194304 and busbw > 0
		and end_ns > last_ns
), best as (
	select op, max(busbw) as busbw from (
		select op, busbw, row_number() over (partition by op order by busbw desc) as nth,
			count(*) over (partition by op) as many from large)
	where nth > many / 20 group by op
), slow as (
	select l.op, l.algorithm, count(*) as calls, sum(l.ns) as ns,
		sum(l.ns * l.busbw) / sum(l.ns) as busbw,
		sum(l.ns * (1 - l.busbw / b.busbw)) as lost, b.busbw as best
	from large l join best b on b.op = l.op where l.busbw < 0.5 * b.busbw
	group by l.op, l.algorithm
), exposed as (
	select 1.0 * sum(case when state = 'nccl_transfer' then ns else 0 end) as ns
	from finding_gpu
), moved as (
	select 1.0 * sum(ns) as ns from large
)
select s.lost / 1e9 * min(1, e.ns / m.ns),
	printf('%,d large NCCL %ss%s reach %.1f GB/s on the bus, where the best '
			|| 'of this run reach %.1f', s.calls, s.op,
		case s.algorithm when '' then '' else ' by ' || s.algorithm end, s.busbw / 1e9,
		s.best / 1e9) as message,
	printf('select op, algorithm, bytes, count(*) as calls, avg(busbw) / '
			|| '1e9 as busbw_gb from collective '
		|| 'where run_id = %d and kind = ''nccl'' and bytes >= '
			|| '4194304 group by op, algorithm, bytes', r.run_id) as evidence,
	'compare NCCL_ALGO=Ring and Tree, NCCL_P2P_LEVEL and '
		|| 'NCCL_NET_GDR_LEVEL on these sizes (nccl-tests), and look at '
		|| 'NCCL_DEBUG=INFO for the transport' as advice,
	'low: as if all reached the best rate, for the part of them that '
		|| 'is not under computing' as confidence
from slow s, exposed e, moved m, finding_run r where s.calls >= 3 and e.ns > 0;
