-- For the collectives' queries, executed before them: the temporary table `collective_class`, a row
-- per kind, operation, algorithm (null: not reported) and size class, the power of two
-- below (null: the trace has no sizes).
create temp table collective_class as
with recursive power(p) as (
	select 1 union all select 2 * p from power
	where p < (select max(bytes) / 2 + 1 from collective where run_id = :run)
), class(bytes, class) as materialized (	-- of each size once
	select bytes, case when bytes < 1 then 0 else (select max(p) from power where p <= bytes)
		end
	from (select distinct bytes from collective where run_id = :run)
)
select kind, op, algorithm, class, count(*) as many, sum(l.bytes) as bytes,
	sum(last_ns - first_ns) as spread, sum(end_ns - last_ns) as transfer,
	avg(busbw) as busbw, max(busbw) as best, avg(raw_bw) as raw_bw,
	count(*) filter (where busbw > 0) as moved,
	median(busbw) filter (where busbw > 0) as middle
from collective l cross join class s on s.bytes is l.bytes where run_id = :run
group by kind, op, class, algorithm;
