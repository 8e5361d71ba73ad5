-- Kernels so short that the host cannot launch them as fast as the device runs them. What the
-- device was idle for launches, and for what the host computes between them, could be none but for
-- one launch a step.
with launch as (
	select *, api + host + min(queued, launches * launch_ns) as idle from finding_launch
)
select l.idle / 1e9 * (1 - l.steps / max(l.kernels, l.steps)),
	printf('%s launch-bound: kernels of %.1f µs, and %.1f µs without work '
			|| 'before each; %,d kernels%s',
		iif(l.steps > 0, 'the steps are', 'the run is'), l.kernel_ns / 1e3,
		l.idle / 1e3 / l.kernels, cast(l.kernels / max(l.steps, 1) as integer),
		iif(l.steps > 0, ' a step', ' a GPU')) as message,
	printf('select t.window, t.state, sum(t.ns) / 1e9 as s from device_time '
			|| 't where t.run_id = %d and t.window = ''run'' '
		|| 'and t.state in (''idle:launch_latency'', '
			|| '''idle:host_in_cuda_api'', ''idle:host_compute'', '
			|| '''idle:queued_other'') group by t.state',
		r.run_id) as evidence,
	case when l.launches < l.kernels / 2 and exists (select 1 from call
				where run_id = r.run_id and name like '%GraphLaunch%')
			then 'fuse kernels (torch.compile, fused optimizer), or a larger '
			|| 'batch: graphs launch most of them already'
		else 'capture the step as a CUDA graph, or fuse kernels '
			|| '(torch.compile, fused optimizer), or a larger batch' end as advice,
	'high, as an upper bound: the ledger''s idle time of an average '
		|| 'GPU in launches and in the host between them' as confidence
from launch l, finding_run r
where l.short and l.idle >= 0.2 * l.kernels * l.kernel_ns and l.syncs < 0.2 * l.kernels;
