-- Seconds of each GPU by state, over the run. A single one is the bar above.
with owner as materialized (	-- the view looks at all devices for each question
	select device_id, rank, ordinal from device_owner where run_id = :run
)
select coalesce(o.rank || ':' || o.ordinal, d.id)
		|| case d.kind when 'stand-in' then ' (emulated)' else '' end as "GPU",
	coalesce(sum(ns) filter (where state = 'compute'), 0) / 1e9 as "compute|number",
	case when max(state = 'nccl') then null
			else coalesce(sum(ns) filter (where state = 'nccl_transfer'), 0) end / 1e9
		as "NCCL transfer|number",
	case when max(state = 'nccl') then null
			else coalesce(sum(ns) filter (where state = 'nccl_wait'), 0) end / 1e9
		as "NCCL wait|number",
	coalesce(sum(ns) filter (where state = 'memcpy'), 0) / 1e9 as "copies|number",
	coalesce(sum(ns) filter (where state = 'idle:io_wait'), 0) / 1e9 as "idle: I/O|number",
	coalesce(sum(ns) filter (where state = 'idle:mpi_wait'), 0) / 1e9 as "idle: MPI|number",
	coalesce(sum(ns) filter (where state = 'idle:checkpoint'), 0) / 1e9
		as "idle: checkpoint|number",
	coalesce(sum(ns) filter (where state = 'idle:host_compute'), 0) / 1e9
		as "idle: host|number",
	coalesce(sum(ns) filter (where state = 'idle:host_in_cuda_api'), 0) / 1e9
		as "idle: CUDA calls|number",
	coalesce(sum(ns) filter (where state = 'idle:wait'), 0) / 1e9 as "idle: wait|number",
	coalesce(sum(ns) filter (where state = 'idle:launch_latency'), 0) / 1e9
		as "idle: launch|number",
	coalesce(sum(ns) filter (where state = 'idle:queued_other'), 0) / 1e9
		as "idle: dependency|number",
	coalesce(sum(ns) filter (where state = 'idle:unknown'), 0) / 1e9 as "idle: unknown|number",
	coalesce(sum(ns) filter (where state in ('absent', 'not_in_detail')), 0) / 1e9
		as "not recorded|number"
from device_time t join device d on d.id = t.device_id left join owner o on o.device_id = d.id
where t.run_id = :run and t."window" = 'run'
	and (select count(*) from device where run_id = :run) > 1
group by d.id order by o.rank * 1000 + o.ordinal, d.id;
