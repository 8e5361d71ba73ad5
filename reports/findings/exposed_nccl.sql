-- NCCL moves data while nothing is computed. No more than half of the computing is there to hide it
-- under, nor what is left of it next to what is hidden already. The last bucket of a step, taken as
-- one of four at least, has nothing left to hide under: that part of all that NCCL takes, hidden or
-- not, stays. Waiting for late ranks is no transfer and does not count, nor is what a communicator
-- of one GPU does.
with bucket as (
	select total(calls) / max(1, (select coalesce(sum(steps), 0) from finding_part)) as n
	from finding_collective where kind = 'nccl' and op in ('allreduce', 'reducescatter')
-- the part of its time that operations with others take; all of it where no trace tells
), among as (
	select coalesce(sum(case when m.size > 1 then c.ns else 0 end) * 1.0 / nullif(sum(c.ns), 0),
			1) as others
	from finding_collective c join communicator m on m.run_id = :run and m.kind = c.kind
		and m.id = c.comm_id
	where c.kind = 'nccl'
), gpu as (
	select sum(case when state = 'nccl_transfer' then ns * others else 0 end) as exposed,
		sum(case when state = 'compute' then ns else 0 end) as compute, sum(ns) as all_ns
			from finding_gpu, among
), overlap as (
	select (select value from metric where run_id = :run and "window" = 'run'
		and model = 'device' and name = 'nccl_overlap' and subject = '') as value
), moved as (
	select g.*, o.value as overlap, coalesce(g.exposed * o.value / (1 - o.value), 0) as hidden
	from gpu g, overlap o
)
select min(g.exposed - (g.exposed + g.hidden) / max(1.0 * :buckets, b.n), g.compute * :hideable,
		g.compute - g.hidden) / 1e9 as seconds,
	100 * g.exposed / g.all_ns as percent, u.used, u.gpus, 100 * g.overlap as overlap,
	case when g.overlap >= :overlapped then 'overlaps' end as advice
from bucket b, moved g, finding_gpus u, finding_run r
where g.exposed >= :some * g.all_ns;
