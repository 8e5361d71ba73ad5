-- First and last activity of each device. Of streams whose names say no device nothing.
create temp table finding_worked as
select u.device_id, min(l.start_ns) as first, max(l.end_ns) as last from location l
	join process_device u on u.process_id = l.process_id
	and u.ordinal = cast(substr(l.name, 6) as integer)
where l.run_id = :run and l.kind = 'accelerator_stream' and l.name like 'CUDA[%'
	and l.start_ns is not null
group by u.device_id;

-- How a device is fed: kernels, launches and blocking synchronisations per device, the mean
-- duration of a kernel, and the time without work that is not for input, copies or others. Kernels
-- of 20 us are as long as a launch takes with a framework around it. The gaps of GPU idle
-- attribution begin with the launch call: where that takes longer than a latency they are `queued`,
-- and launching all the same, as far as a call and a latency (`launch_ns`) for each go. `most`:
-- what the devices were idle for between their first and their last activity, as a start that
-- imports libraries is no launch; NULL where that is not known.
create temp table finding_launch as
with devices as (
	select count(distinct device_id) as n from finding_device
), kernels as (
	select sum(calls) as calls, sum(total_ns) as ns from kernel
	where run_id = :run and class <> 'nccl'
		and not (class = 'memory'
				and (name like 'memcpy%' or name like 'memset%'
					or name like '%CUDA mem%' or name like '%HIP mem%'
			or name like 'memory_copy%' or name like 'memory_set%'))
), syncs as (
	-- without a GPU the calls, of which there are many, are not looked at
	select coalesce(sum(calls), 0) as calls, max(name) as name
	from (select 1 from finding_gpu limit 1) cross join call
	where run_id = :run and (name in ('cudaDeviceSynchronize', 'cudaStreamSynchronize',
		'cudaEventSynchronize', 'cuCtxSynchronize', 'cuStreamSynchronize',
		'cuEventSynchronize')
		or name like 'hip%Synchronize')
), launches as (
	select coalesce(sum(calls), 0) as calls, coalesce(1.0 * sum(total_ns) / sum(calls), 0)
		+ :launch_ns as ns
	from (select 1 from finding_gpu limit 1) cross join call
	where run_id = :run and name in ('cudaLaunchKernel', 'cudaLaunchKernelExC',
		'cuLaunchKernel', 'cuLaunchKernelEx', 'hipLaunchKernel', 'hipExtLaunchKernel',
		'hipModuleLaunchKernel')
), gaps as (
	select coalesce(sum(case when state in ('idle:host_in_cuda_api', 'idle:launch_latency')
				then ns end), 0) as api,
		coalesce(sum(case when state = 'idle:queued_other' then ns end), 0) as queued,
		coalesce(sum(case when state = 'idle:host_compute' then ns end), 0) as host,
		coalesce(sum(case when state = 'idle:wait' then ns end), 0) as wait
	from finding_gpu
), idle as (
	select max(0, w.last - w.first - (select total(t.ns) from device_time t
			where t.run_id = :run and t."window" = 'run'
			and t.device_id = w.device_id and t.state in ('compute',
				'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy'))) as ns
	from finding_worked w
)
select (select avg(ns) from idle) as most,
	1.0 * k.calls / d.n as kernels, 1.0 * k.ns / k.calls as kernel_ns,
	1.0 * s.calls / d.n as syncs,
	1.0 * l.calls / d.n as launches, l.ns as launch_ns, g.api, g.queued, g.host, g.wait,
	k.ns < 1.0 * :short_kernel * k.calls as short,
	(select coalesce(sum(steps), 0) from finding_part) as steps
from devices d, kernels k, syncs s, launches l, gaps g where d.n > 0 and k.calls > 0;

-- An average GPU (finding_gpu) is one of those that are used at all; the summary's is one of all
-- that the job has. `used` is how many are used, NULL where all are.
create temp table finding_gpus as
select case when used < n then used end as used, n as gpus
from (select count(*) as n, (select count(*) from finding_used) as used
	from device where run_id = :run);
