-- Kernels so short that the host cannot launch them as fast as the device runs them. What the
-- device was idle for launches, and for what the host computes between them, could be none but for
-- one launch a step. Less what it cost to record the launches; and where that was done in a sample
-- of steps, of all of them.
with cost as (
	select coalesce(sum(ns) filter (where state not in ('absent', 'not_in_detail')), 0) as ns,
		coalesce(sum(ns) filter (where state = 'not_in_detail'), 0) as rest,
		coalesce((select max(0, avg(value)) from environment where run_id = :run
			and key = 'gpu_step_cost_percent'), 0) as percent
	from finding_gpu
), launch as (
	select f.*, max(0, min(api + host + min(queued, launches * launch_ns), coalesce(most, api
			+ host + queued)) - c.ns * percent / (100 + percent)) as idle,
		case when percent > 0 and c.ns > 0 then 1 + c.rest / c.ns else 1 end as times
	from finding_launch f, cost c
)
select l.times * l.idle / 1e9 * (1 - l.steps / max(l.kernels, l.steps)) as seconds,
	l.kernel_ns / 1e3 as kernel_us, l.idle / 1e3 / l.kernels as idle_us,
	cast(l.kernels / max(l.steps, 1) as integer) as kernels,
	case when l.steps > 0 then 'steps' else 'run' end as message,
	case when l.launches < :most * l.kernels and exists (select 1 from call
		where run_id = :run and name like '%GraphLaunch%') then 'graphs' end as advice
from launch l, finding_run r
where l.short and l.idle >= :large * l.kernels * l.kernel_ns
	and l.syncs < :large * l.kernels;
