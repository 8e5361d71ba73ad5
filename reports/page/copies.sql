-- Copies and memsets by kind and by the host's memory, over all GPUs; the shortest and longest are
-- known of a kind only, so they are left out where it had several kinds of memory.
with kind as (
	select name, min(min_ns) as least, max(max_ns) as most from kernel
	where run_id = :run and class = 'memory' group by name
), summed as (
	select op, memory, sum(copies) as copies, sum(bytes) as bytes, sum(total_ns) as ns from copy
	where run_id = :run group by op, memory
	-- by the names that tools give to copies: kernels that copy are of the class, too
	union all
	select name, '', sum(calls), sum(bytes), sum(total_ns) from kernel k
	where run_id = :run and class = 'memory'
		and (name like 'memcpy%' or name like 'memset%' or name like '%CUDA mem%'
				or name like '%HIP mem%' or name like 'memory_copy%'
				or name like 'memory_set%')
		and not exists (select 1 from copy where run_id = :run and op = k.name)
		group by name
)
select case op when 'memcpy_h2d' then 'host to device' when 'memcpy_d2h' then 'device to host'
		when 'memcpy_d2d' then 'within a device'
		when 'memcpy_p2p' then 'between devices' else op end as "Copy",
	case when op in ('memcpy_d2d', 'memcpy_p2p', 'memset') then ''
			else coalesce(nullif(memory, ''), '?') end
		as "Host memory||pageable memory is copied twice; ?: not in the trace",
	copies as "Calls|count", bytes as "Moved|bytes",
	1.0 * bytes / sum(bytes) over (partition by op)
		as "of its kind|percent|share of the bytes of this kind of copy",
	1.0 * bytes / nullif(copies, 0) as "per copy|bytes", ns as "Time|ns",
	1e9 * bytes / nullif(ns, 0) as "Rate|rate|bytes ÷ time of the copies",
	case when s.kinds = 1 then k.least end as "Min|ns",
	case when s.kinds > 1 then 'known of all kinds of memory together only' end
		as "|why",
	case when s.kinds = 1 then k.most end as "Max|ns",
	case when s.kinds > 1 then 'known of all kinds of memory together only' end
		as "|why",
	'not in the trace' as "*|why"
from (select *, count(*) over (partition by op) as kinds from summed) s
	left join kind k on k.name = s.op order by ns desc limit 100;
