-- needs: collective_tables
-- Bus bandwidth of collectives against their size: median and best per size class, a series per
-- operation; at most 8.
with c as (
	select upper(kind) || ' ' || op || coalesce(' ' || nullif(algorithm, ''), '') as name,
		class as size, moved as many, middle, best
	from collective_class where class > 0 and moved > 0
), common as (
	select name from c group by name order by sum(many) desc limit 8
)
select name as "Operation|block", size as "Size (B)|number", middle / 1e9 as "Median (GB/s)|number",
	best / 1e9 as "Best (GB/s)|number",
	many as "Count|count", (select max(best) from c) / 1e9 as "Best of the link (GB/s)|number"
from c where name in common order by name, size;
