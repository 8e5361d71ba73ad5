-- For the collectives' queries, executed before them: the temporary table `collective_class`, a row
-- per kind, operation, algorithm (null: not reported) and size class, the power of two
-- below (null: the trace has no sizes). Where very many have no row of their own, their sums count;
-- `middle` and `raw_bw` are of those that have one.
create temp table collective_class as
with recursive power(p) as (
	select 1 union all select 2 * p from power
	where p < (select max(bytes) / 2 + 1 from (select bytes from collective where run_id = :run
			union all select bytes from collective_rest where run_id = :run))
), class(bytes, class) as materialized (	-- of each size once
	select bytes, case when bytes < 1 then 0 else (select max(p) from power where p <= bytes)
		end
	from (select bytes from collective where run_id = :run
		union select bytes from collective_rest where run_id = :run)
), each as (
	select kind, op, algorithm, bytes as size, 1 as many, bytes, last_ns - first_ns as spread,
		end_ns - last_ns as transfer, busbw is not null as timed, busbw, busbw as best,
		busbw as own, raw_bw
	from collective where run_id = :run
	union all
	select kind, op, algorithm, bytes, calls, total_bytes, skew_ns, transfer_ns, timed,
		busbw_sum, busbw_max, null, null
	from collective_rest where run_id = :run
)
select kind, op, algorithm, class, sum(many) as many, sum(l.bytes) as bytes,
	sum(spread) as spread, sum(transfer) as transfer,
	sum(busbw) / nullif(sum(timed), 0) as busbw, max(best) as best, avg(raw_bw) as raw_bw,
	count(*) filter (where own > 0) as moved,
	median(own) filter (where own > 0) as middle
from each l cross join class s on s.bytes is l.size
group by kind, op, class, algorithm;
