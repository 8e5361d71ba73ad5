-- Per operation and communicator: calls, and ns from the last arrival to the end; for small calls,
-- which take their latency, calls, bytes and ns (NCCL: without the time under the previous call).
-- For small NCCL calls directly after another one: ns in which ranks waited although they had just
-- met, and the gaps before. Calls without a row wait like the others.
create temp table finding_collective as
with call as (
	select kind, comm_id, op, bytes, end_ns - last_ns as ns, end_ns - last_ns as own,
		0 as waited, 0 as gap
	from collective where run_id = :run and (kind in ('gloo', 'mpi')
		or kind = 'nccl' and op in ('send', 'recv'))
	union all
	select 'nccl', comm_id, op, bytes, end_ns - last_ns,
		max(0, end_ns - max(last_ns, coalesce(before, 0))),
		max(0, last_ns - max(first_ns, before)) * (first_ns < before + :behind_ns),
		max(0, first_ns - before) * (first_ns < before + :behind_ns)
	from (	-- operations of a group are one kernel and end together
		select *, lag(end_ns) over (partition by comm_id order by seq) as before
		from collective where run_id = :run and kind = 'nccl'
			and op not in ('send', 'recv'))
), total as (
	select kind, comm_id, op, count(*) as rows, count(*) as calls, sum(ns) as ns,
		total(bytes <= :small_bytes) as small,
		total(bytes) filter (where bytes <= :small_bytes) as small_bytes,
		total(own) filter (where bytes <= :small_bytes) as small_ns,
		total(waited) filter (where bytes <= :small_bytes) as waited,
		total(gap) filter (where bytes <= :small_bytes) as gap
	from call group by kind, comm_id, op
	union all
	select kind, comm_id, op, 0, calls, transfer_ns, calls * (bytes <= :small_bytes),
		total_bytes * (bytes <= :small_bytes), transfer_ns * (bytes <= :small_bytes), 0, 0
	from collective_rest where run_id = :run
)
select kind, comm_id, op, sum(calls) as calls, sum(ns) as ns, sum(small) as small,
	sum(small_bytes) as small_bytes, sum(small_ns) as small_ns,
	coalesce(sum(waited) * sum(calls) / sum(rows), 0) as waited_ns,
	coalesce(sum(gap) * sum(calls) / sum(rows), 0) as gap_ns
from total group by kind, comm_id, op;

-- Large all-reduces between hosts by size: calls, lower quartile and lowest tenth of their ns.
create temp table finding_allreduce as
with call as (
	select bytes, end_ns - last_ns as ns,
		cume_dist() over (partition by bytes order by end_ns - last_ns) as part
	from collective where run_id = :run and kind in ('gloo', 'mpi') and op = 'allreduce'
		and bytes > :small_bytes
)
select bytes, count(*) as calls, min(ns) filter (where 4 * part >= 1) as quarter_ns,
	min(ns) filter (where 10 * part >= 1) as tenth_ns
from call group by bytes;

-- How long other ranks waited for the only rank in a phase: over all collectives in which it
-- arrived last, from the first arrival to its own. The time inside the phase up to t is open * t -
-- sum(opens * t) over its begins and ends until t.
create temp table finding_awaited as
with alone as (
	select phase, rank, min(t) as since, max(t) as till from finding_alone group by phase, rank
), mark as (
	select phase, rank, t, opens, 0 as counts from finding_alone
	union all
	select a.phase, a.rank, iif(k.column1 > 0, c.last_ns, c.first_ns), 0, k.column1
	from alone a join collective c on c.run_id = :run and c.last_rank = a.rank
		and c.first_ns < a.till and c.last_ns > a.since join (values (1), (-1)) k
), inside as (
	select phase, rank, counts, t * sum(opens) over w - sum(opens * t) over w as ns
	from mark window w as (partition by phase, rank order by t)
)
select phase, rank, sum(counts * ns) as ns from inside group by phase, rank
having sum(counts * ns) > 0;
