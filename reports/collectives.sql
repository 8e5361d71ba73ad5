-- Collectives by kind, operation and size class (powers of two).
with recursive power(p) as (
	select 1 union all select 2 * p from power where p < (select max(bytes) / 2 + 1 from collective where run_id = :run)
), class(bytes, class) as materialized (	-- of each size once
	select bytes, case when bytes < 1 then 0 else (select max(p) from power where p <= bytes) end
	from (select distinct bytes from collective where run_id = :run)
), c as (
	select kind, op, l.bytes, algorithm, last_ns - first_ns as spread, end_ns - last_ns as transfer, busbw, raw_bw, class
	from collective l cross join class s on s.bytes is l.bytes where run_id = :run
)
select op as "Operation", upper(kind) as "By", coalesce(algorithm, '?') as "Algorithm||as NCCL told it; ?: not told", class as "Size from|bytes|buffers of this size up to twice that",
	case when class is null then 'the trace does not tell the size' end as "|why", count(*) as "Count|count", sum(bytes) as "Moved|bytes|sum of the buffers",
	avg(spread) as "Mean wait|ns|from the first rank's arrival to the last one's", avg(transfer) as "Mean transfer|ns|from the last arrival to the end",
	sum(spread) as "Wait in all|ns", sum(transfer) as "Transfer in all|ns",
	avg(busbw) as "Bus bandwidth|rate|while transferring, after the rules of nccl-tests", max(busbw) as "best|rate",
	'undefined without a size or a duration' as "*|why"
from c group by kind, op, class, algorithm order by sum(spread + transfer) desc limit 200;
