-- Stand-ins compute on the cores of their node: the share of the time in which something waited for
-- one there. 0 for GPUs, and without counters.
create temp table finding_pressed as
select coalesce(max(1.0 * grown / span), 0) as share from (
	select max(value) - min(value) as grown, nullif(max(t_ns) - min(t_ns), 0) as span
	from sample
	where run_id = :run and process_id is null and name = 'pressure.cpu' group by node_id)
where exists (select 1 from device where run_id = :run and kind = 'stand-in');

-- An average GPU (finding_gpu) is one of those that are used at all; the summary's is one of all
-- that the job has. `used` is how many are used, NULL where all are.
create temp table finding_gpus as
select case when used < n then used end as used, n as gpus
from (select count(*) as n, (select count(distinct device_id) from device_time where run_id = :run
		and "window" = 'run' and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl',
				'memcpy') and ns > 0) as used
	from device where run_id = :run);
