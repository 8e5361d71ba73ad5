-- Bus bandwidth of collectives against their size: median and best per size class, a series per operation; at most 8.
with recursive power(p) as (
	select 1 union all select 2 * p from power where p < (select max(bytes) / 2 + 1 from collective where run_id = :run)
), c as (
	select upper(kind) || ' ' || op || coalesce(' ' || nullif(algorithm, ''), '') as name, (select max(p) from power where p <= bytes) as size, busbw
	from collective where run_id = :run and bytes > 0 and busbw > 0
), common as (
	select name from c group by name order by count(*) desc limit 8
), ordered as (
	select *, row_number() over (partition by name, size order by busbw) as nth, count(*) over (partition by name, size) as many from c
	where name in common
)
select name as "Operation|block", size as "Size (B)|number", avg(case when nth in ((many + 1) / 2, many / 2 + 1) then busbw end) / 1e9 as "Median (GB/s)|number",
	max(busbw) / 1e9 as "Best (GB/s)|number", max(many) as "Count|count", (select max(busbw) from c) / 1e9 as "Best of the link (GB/s)|number"
from ordered group by name, size order by name, size;
