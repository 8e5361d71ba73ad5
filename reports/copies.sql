-- Copies and memsets by kind, over all GPUs.
select case name when 'memcpy_h2d' then 'host to device' when 'memcpy_d2h' then 'device to host' when 'memcpy_d2d' then 'within a device'
		when 'memcpy_p2p' then 'between devices' else name end as "Copy",
	sum(calls) as "Calls|count", sum(bytes) as "Moved|bytes", 1.0 * sum(bytes) / nullif(sum(calls), 0) as "per copy|bytes", sum(total_ns) as "Time|ns",
	1e9 * sum(bytes) / nullif(sum(total_ns), 0) as "Rate|rate|bytes ÷ time of the copies", min(min_ns) as "Min|ns", max(max_ns) as "Max|ns",
	'the trace does not tell' as "*|why"
from kernel where run_id = :run and class = 'memory' group by name order by sum(total_ns) desc;
