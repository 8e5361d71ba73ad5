-- Kernels so short that the host cannot launch them as fast as the device runs them. What the
-- device was idle for launches, and for what the host computes between them, could be none.
select (l.api + l.host) / 1e9,
	printf('the steps are launch-bound: kernels of %.1f µs, and %.1f µs without work before each; %,d kernels a step',
		l.kernel_ns / 1e3, (l.api + l.host) / 1e3 / l.kernels, cast(l.kernels / max(l.steps, 1) as integer)) as message,
	printf('select t.window, t.state, sum(t.ns) / 1e9 as s from device_time t where t.run_id = %d and t.window = ''run'' '
		|| 'and t.state in (''idle:launch_latency'', ''idle:host_in_cuda_api'', ''idle:host_compute'') group by t.state',
		r.run_id) as evidence,
	'capture the step as a CUDA graph, or fuse kernels (torch.compile, fused optimizer), or a larger batch' as advice,
	'high, as an upper bound: the ledger''s idle time of an average GPU in launches and in the host between them' as confidence
from finding_launch l, finding_run r
where l.short and l.api + l.host >= 0.2 * l.kernels * l.kernel_ns and l.syncs < 0.2 * l.kernels;
