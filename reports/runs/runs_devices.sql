-- Seconds of a GPU by state, mean over the GPUs of each run; a single one is in its own report.
select s.label as "Run",
	coalesce(sum(ns) filter (where state = 'compute'), 0) / 1e9 / s.ngpus as "compute|number",
	case when max(state = 'nccl') then null
			else coalesce(sum(ns) filter (where state = 'nccl_transfer'), 0) end / 1e9
		/ s.ngpus as "NCCL transfer|number",
	case when max(state = 'nccl') then null
			else coalesce(sum(ns) filter (where state = 'nccl_wait'), 0) end / 1e9
		/ s.ngpus as "NCCL wait|number",
	coalesce(sum(ns) filter (where state = 'memcpy'), 0) / 1e9 / s.ngpus as "copies|number",
	coalesce(sum(ns) filter (where state = 'idle:io_wait'), 0) / 1e9 / s.ngpus
		as "idle: I/O|number",
	coalesce(sum(ns) filter (where state in ('idle:host_compute', 'idle:host_in_cuda_api')), 0)
		/ 1e9 / s.ngpus as "idle: host|number",
	coalesce(sum(ns) filter (where state in ('idle:launch_latency', 'idle:queued_other')), 0)
		/ 1e9 / s.ngpus as "idle: launch|number",
	coalesce(sum(ns) filter (where state in ('idle:mpi_wait', 'idle:checkpoint', 'idle:wait',
				'idle:unknown')), 0) / 1e9 / s.ngpus as "idle: other|number",
	coalesce(sum(ns) filter (where state = 'absent'), 0) / 1e9 / s.ngpus
		as "not recorded|number"
from device_time t join study s on s.run_id = t.run_id where t."window" = 'run'
	and (select count(distinct run_id) from device_time where "window" = 'run') > 1
group by s.run_id
order by s.run_id;
