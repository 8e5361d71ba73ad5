-- What lies between launches and starts: gaps, and how long what is launched lasts.
with work as (
	select device_id, sum(calls) as calls, sum(total_ns) as ns from kernel where run_id = :run
		and not (class = 'memory'
				and (name like 'memcpy%' or name like 'memset%'
					or name like '%CUDA mem%' or name like '%HIP mem%'
			or name like 'memory_copy%' or name like 'memory_set%')) group by device_id
), named as (
	select d.id, d.kind, o.rank, o.ordinal from device d
		left join device_owner o on o.device_id = d.id where d.run_id = :run
)
select case n.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
	|| coalesce(n.rank || ':' || n.ordinal, n.id) as "GPU",
	w.calls as "Kernels|count", 1.0 * w.ns / nullif(w.calls, 0) as "Mean kernel|ns",
	coalesce(sum(t.ns) filter (where t.state = 'idle:launch_latency'), 0)
		as "Launch gaps|ns|idle although launched, up to the threshold of launch latency",
	1.0 * coalesce(sum(t.ns) filter (where t.state = 'idle:launch_latency'), 0)
		/ nullif(w.calls, 0) as "per kernel|ns",
	coalesce(sum(t.ns) filter (where t.state in ('idle:host_compute', 'idle:host_in_cuda_api')),
			0)
		as "Late launches|ns|idle as the host launched late: computing, or in CUDA calls",
	1.0 * coalesce(sum(t.ns) filter (where t.state in ('idle:host_compute',
				'idle:host_in_cuda_api')), 0) / nullif(w.calls, 0)
		as "per kernel |ns"
from named n join work w on w.device_id = n.id
	join device_time t on t.device_id = n.id and t.run_id = :run and t."window" = 'run'
group by n.id order by 4 + 6 desc, n.rank, n.ordinal limit 200;
