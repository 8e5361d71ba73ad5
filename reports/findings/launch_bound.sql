-- Kernels so short that the host cannot launch them as fast as the device runs them. What the
-- device was idle for launches, and for what the host computes between them, could be none but for
-- one launch a step.
with launch as (
	select *, min(api + host + min(queued, launches * launch_ns), coalesce(most, api + host
			+ queued)) as idle
	from finding_launch
)
select l.idle / 1e9 * (1 - l.steps / max(l.kernels, l.steps)) as seconds,
	l.kernel_ns / 1e3 as kernel_us, l.idle / 1e3 / l.kernels as idle_us,
	cast(l.kernels / max(l.steps, 1) as integer) as kernels,
	case when l.steps > 0 then 'steps' else 'run' end as message,
	case when l.launches < :most * l.kernels and exists (select 1 from call
		where run_id = :run and name like '%GraphLaunch%') then 'graphs' end as advice
from launch l, finding_run r
where l.short and l.idle >= :large * l.kernels * l.kernel_ns
	and l.syncs < :large * l.kernels;
