-- Copies between the GPU and ordinary host memory: the driver stages them, the host waits, and
-- nothing runs next to them. Pinned and asynchronous they could go under the computing. What is
-- copied once, in the setup, does not count.
with setup as (
	select coalesce(sum(ns), 0) as ns from device_time
	where run_id = :run and "window" in ('phase:setup', 'phase:init') and state = 'memcpy'
), copies as (
	select sum(case when memory = 'pageable' then total_ns else 0 end) as pageable,
		sum(total_ns) as all_ns,
		sum(case when memory = 'pageable' then copies else 0 end) as n,
		sum(case when memory = 'pageable' then bytes else 0 end) as bytes
	from copy where run_id = :run and op in ('memcpy_h2d', 'memcpy_d2h')
), blocked as (
	select coalesce(sum(case when state = 'memcpy' then ns end), 0) as copying,
		coalesce(sum(case when state = 'idle:host_in_cuda_api' then ns end), 0) as api
			from finding_gpu
)
select b.copying * max(0.0, c.pageable - s.ns) / c.all_ns / 1e9 as seconds, c.n as copies,
	c.bytes / 1e9 as gb, 1.0 * c.bytes / c.pageable as rate
from copies c, setup s, blocked b, finding_run r where c.pageable > 0;
