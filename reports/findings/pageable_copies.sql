-- Copies between the GPU and ordinary host memory: the driver stages them, the host waits, and
-- nothing runs beside them. Pinned and asynchronous they could go under the computing. What is
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
select b.copying * max(0.0, c.pageable - s.ns) / c.all_ns / 1e9,
	printf('%,d copies of pageable memory, %.2f GB at %.1f GB/s, hold up ' || 'host and GPU',
			c.n, c.bytes / 1e9, 1.0 * c.bytes / c.pageable) as message,
	printf('select op, memory, sum(copies) as copies, sum(bytes) / 1e9 as '
			|| 'gb, sum(total_ns) / 1e9 as s from copy '
		|| 'where run_id = %d group by op, memory', r.run_id) as evidence,
	'pin the host memory (DataLoader(pin_memory=True), '
		|| 'cudaHostAlloc) and copy asynchronously (non_blocking=True) one '
		|| 'batch ahead' as advice,
	'medium: the time in which a GPU only copied, as far as pageable '
		|| 'memory took part' as confidence
from copies c, setup s, blocked b, finding_run r where c.pageable > 0;
