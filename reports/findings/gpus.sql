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

-- Ranks whose kernels are longer than those of each other rank, all together: by how much, by their
-- medians; and whether by a third by their shortest, too, which no want of cores explains.
create temp table finding_kernels as
with work as materialized (
	select o.rank, sum(k.calls * coalesce(k.median_ns, k.min_ns)) as ns,
		sum(k.calls * k.min_ns) as least from kernel k
		join device_owner o on o.run_id = k.run_id and o.device_id = k.device_id
	where k.run_id = :run and k.class not in ('nccl', 'memory') and o.rank is not null
	group by o.rank
), most as materialized (
	select max(ns) as ns, max(least) as least,
		(select ns from work order by ns desc limit 1 offset 1) as ns2,
		(select least from work order by least desc limit 1 offset 1) as least2
	from work
), beside as (
	select w.*, iif(w.ns < m.ns, m.ns, m.ns2) as others,
		iif(w.least < m.least, m.least, m.least2) as others_least from work w, most m
)
select rank, ns - others as ns, others,
	ns >= :kernels_more * others and least >= :kernels_more * others_least as surely
from beside where others is not null;
