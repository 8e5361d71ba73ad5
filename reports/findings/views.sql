-- What several rules need, of the run in temp.finding_run (run_id, seconds_all,
-- nranks). Tables, not views: each is made once.

drop table if exists temp.finding_phase;
drop table if exists temp.finding_unit;
drop table if exists temp.finding_serial;
drop table if exists temp.finding_reader;
drop table if exists temp.finding_input;
drop table if exists temp.finding_part;
drop table if exists temp.finding_device;
drop table if exists temp.finding_gpu;
drop table if exists temp.finding_launch;
drop table if exists temp.finding_core;
drop table if exists temp.finding_pressed;

-- Phases by the clock: from the first rank in to the last out, summed over instances.
create temp table finding_phase as
select name, count(*) as instances, sum(ns) as ns from (
	select name, instance, max(end_ns) - min(start_ns) as ns from phase
	where run_id = (select run_id from finding_run) group by name, instance)
group by name;

-- Main threads of ranks in the parts of the run that end when the slowest rank is through:
-- steps, phases without steps, or the run when nothing is marked. `outside` is the time
-- outside of MPI: what a rank does itself. Without x of it in the ranks, a part would be
-- shorter by max(outside) - max(outside - x) over the ranks: the model of most rules.
-- Steps are many: they are gone through in the order of their key, so that nothing is sorted.
create temp table finding_unit as
select 'step:' || s.n as unit, coalesce((select f.name from phase f where f.id = s.phase_id), '') as phase, p.rank,
	sum(case h.state when 'useful' then h.ns else 0 end) as useful, sum(case h.state when 'io' then h.ns else 0 end) as io,
	sum(case h.state when 'mpi' then h.ns else 0 end) as mpi, sum(case h.state when 'wait' then h.ns else 0 end) as wait,
	sum(case when h.state in ('mpi', 'absent') then 0 else h.ns end) as outside
from step s cross join host_time h cross join process p
where s.run_id = (select run_id from finding_run) and h.run_id = s.run_id and h.process_id = s.process_id
	and h."window" = 'step:' || s.n and p.id = s.process_id and p.rank is not null
group by s.process_id, s.n;
insert into finding_unit
with part as (
	select distinct 'phase:' || name as unit, name as phase, process_id from phase
	where run_id = (select run_id from finding_run)
		and name not in (select f.name from step s join phase f on f.id = s.phase_id
			where s.run_id = (select run_id from finding_run))
	union all
	select 'run', '', id from process where run_id = (select run_id from finding_run)
		and not exists (select 1 from phase where run_id = (select run_id from finding_run))
		and not exists (select 1 from step where run_id = (select run_id from finding_run))
)
select t.unit, t.phase, p.rank, sum(case when h.state = 'useful' then h.ns else 0 end),
	sum(case when h.state = 'io' then h.ns else 0 end), sum(case when h.state = 'mpi' then h.ns else 0 end),
	sum(case when h.state = 'wait' then h.ns else 0 end),
	sum(case when h.state not in ('mpi', 'absent') then h.ns else 0 end)
from part t join process p on p.id = t.process_id
	join host_time h on h.run_id = p.run_id and h.process_id = p.id and h."window" = t.unit
where p.rank is not null group by t.unit, p.id;

-- Phases in which one rank of several does nearly all that is done outside of MPI, each other next
-- to nothing. Of a phase that only one rank is in, the time in which others waited for it in a collective counts.
create temp table finding_serial as
with own as (
	select substr(h."window", 7) as phase, p.rank, sum(case when h.state = 'mpi' then 0 else h.ns end) as ns
	from host_time h join process p on p.id = h.process_id
	where h.run_id = (select run_id from finding_run) and h."window" like 'phase:%'
		and p.rank is not null and h.state <> 'absent'
	group by h."window", p.id
), ordered as (
	select phase, rank, ns, sum(ns) over (partition by phase) as total, count(*) over (partition by phase) as present,
		row_number() over (partition by phase order by ns desc) as nth,
		coalesce(lead(ns) over (partition by phase order by ns desc), 0) as second
	from own
), alone as (
	select phase, rank, ns from ordered where nth = 1 and present > 1 and ns >= 0.9 * total and second <= 0.05 * ns
)
select phase, rank, ns from alone
union all
select f.name, p.rank, sum(min(f.end_ns, c.last_ns) - max(f.start_ns, c.first_ns))
from phase f join process p on p.id = f.process_id
	join collective c on c.run_id = f.run_id and c.last_rank = p.rank and c.last_ns > f.start_ns and c.first_ns < f.end_ns
where f.run_id = (select run_id from finding_run) and f.name in (select phase from ordered where present = 1)
group by f.name, p.rank
union all
-- hosts that wait for their devices look alike: one device of several computes
select phase, rank, busy from (
	select substr(t."window", 7) as phase, p.rank, sum(case when t.state in ('nccl_wait', 'nccl', 'absent') then 0 else t.ns end) as busy,
		sum(case when t.state = 'compute' then t.ns else 0 end) as ns,
		sum(sum(case when t.state = 'compute' then t.ns else 0 end)) over (partition by t."window") as total,
		count(*) over (partition by t."window") as devices
	from device_time t join device_owner p on p.run_id = t.run_id and p.device_id = t.device_id
	where t.run_id = (select run_id from finding_run) and t."window" like 'phase:%' and p.rank is not null
	group by t."window", p.rank)
where devices > 1 and total > 0 and ns >= 0.98 * total and phase not in ('setup', 'init')
	and phase not in (select phase from alone);

-- Threads and child processes that read for a rank: not its main thread, and none that communicates.
create temp table finding_reader as
with thread as (
	select l.id, coalesce(p.rank, q.rank) as rank, l.bytes_read,
		sum(case when t.state = 'io' then t.ns else 0 end) as io,
		sum(case when t.state = 'useful' then t.ns else 0 end) as useful,
		sum(case when t.state = 'mpi' then t.ns else 0 end) as mpi, sum(t.ns) as life
	from location l join process p on p.id = l.process_id left join process q on q.id = p.parent_id
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
	where l.run_id = (select run_id from finding_run) and l.bytes_read > 0
		and not (l.is_main and p.rank is not null)
	group by l.id
)
select id, rank, io, useful, life from thread
where rank is not null and mpi = 0 and bytes_read >= 0.01 * (select max(bytes_read) from thread);

create temp table finding_part as select distinct unit from finding_unit where phase not in ('setup', 'init');
create unique index temp.finding_part_unit on finding_part(unit);

-- Of each device that is used at all, in these parts of finding_unit: ns in which it computed, and in which it
-- had nothing to do for want of input. Of many steps device_time has the most rows: they are gone
-- through in the order of their key, so that nothing is sorted.
create temp table finding_device as
with used as (
	select distinct device_id from device_time where run_id = (select run_id from finding_run)
		and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy') and ns > 0
)
select t."window" as unit, t.device_id, sum(case t.state when 'compute' then t.ns else 0 end) as compute,
	sum(case when t.state in ('idle:io_wait', 'idle:host_compute', 'idle:wait') then t.ns else 0 end) as starved
from device_time t where t.run_id = (select run_id from finding_run) and t.device_id in used
	and t."window" in (select unit from finding_part)
group by t.device_id, t."window";

-- Shares of an average device: one row per state, none without devices. A host may be many steps
-- ahead: what it queued, and the gaps between, then run behind the part that they belong to, some of
-- it behind all of them. So these are those of the whole run, but for its setup. A gap for which the
-- host is the cause ends when it launches, in its own part: these are those of all parts together.
create temp table finding_gpu as
with queued as (
	select column1 as state from (values ('compute'), ('nccl_wait'), ('nccl_transfer'), ('memcpy'), ('idle:launch_latency'),
		('idle:queued_other'))
), share as (
	select t.state, t.ns from device_time t where t.run_id = (select run_id from finding_run) and t.state not in queued
		and t.device_id in (select device_id from finding_device) and t."window" in (select unit from finding_part)
	union all
	select t.state, case t."window" when 'run' then t.ns else -t.ns end from device_time t
	where t.run_id = (select run_id from finding_run) and t."window" in ('run', 'phase:setup', 'phase:init')
		and t.state in queued and t.device_id in (select device_id from finding_device)
)
select state, 1.0 * sum(ns) / (select count(distinct device_id) from finding_device) as ns
from share group by state;

-- How a device is fed: kernels, launches and blocking synchronisations per device, the mean
-- duration of a kernel, and the time without work that is not for input, copies or others.
-- Kernels of 20 us are as long as a launch takes with a framework around it. The ledger's gaps begin
-- with the launch call: where that takes longer than a latency they are `queued`, and launching all
-- the same, as far as a call and a latency (`launch_ns`) for each go.
create temp table finding_launch as
with devices as (
	select count(distinct device_id) as n from finding_device
), kernels as (
	select sum(calls) as calls, sum(total_ns) as ns from kernel
	where run_id = (select run_id from finding_run) and class <> 'nccl'
		and name not in ('memcpy_h2d', 'memcpy_d2h', 'memcpy_d2d', 'memcpy_p2p', 'memset')
), syncs as (
	select coalesce(sum(calls), 0) as calls, max(name) as name from call
	where run_id = (select run_id from finding_run) and (name in ('cudaDeviceSynchronize', 'cudaStreamSynchronize',
		'cudaEventSynchronize', 'cuCtxSynchronize', 'cuStreamSynchronize', 'cuEventSynchronize')
		or name like 'hip%Synchronize')
), launches as (
	select coalesce(sum(calls), 0) as calls, coalesce(1.0 * sum(total_ns) / sum(calls), 0) + 10000 as ns from call
	where run_id = (select run_id from finding_run) and name in ('cudaLaunchKernel', 'cudaLaunchKernelExC',
		'cuLaunchKernel', 'cuLaunchKernelEx', 'hipLaunchKernel', 'hipExtLaunchKernel', 'hipModuleLaunchKernel')
), gaps as (
	select coalesce(sum(case when state in ('idle:host_in_cuda_api', 'idle:launch_latency') then ns end), 0) as api,
		coalesce(sum(case when state = 'idle:queued_other' then ns end), 0) as queued,
		coalesce(sum(case when state = 'idle:host_compute' then ns end), 0) as host,
		coalesce(sum(case when state = 'idle:wait' then ns end), 0) as wait
	from finding_gpu
)
select 1.0 * k.calls / d.n as kernels, 1.0 * k.ns / k.calls as kernel_ns, 1.0 * s.calls / d.n as syncs,
	1.0 * l.calls / d.n as launches, l.ns as launch_ns, g.api, g.queued, g.host, g.wait,
	k.ns < 20000.0 * k.calls as short, (select count(distinct unit) from finding_unit where unit like 'step:%') as steps
from devices d, kernels k, syncs s, launches l, gaps g where d.n > 0 and k.calls > 0;

-- Per part of the run: ns that the ranks would be through earlier if their busy readers kept
-- them waiting no more (`starved`), and if their main threads did no I/O (`io`). With devices
-- no more than these were idle for it: the host may run ahead of them.
create temp table finding_input as
with busy as (
	select rank, (sum(io) + sum(useful)) >= 0.5 * sum(life) as busy from finding_reader group by rank
), part as (
select u.unit, u.phase, max(outside) - max(outside - case when b.busy then wait else 0 end) as starved,
	max(outside) - max(outside - u.io) as io
from finding_unit u left join busy b on b.rank = u.rank
where u.phase not like '%checkpoint%' and u.phase not in ('setup', 'init')
group by u.unit, u.phase
), starved as (
	select unit, avg(starved) as ns from finding_device group by unit
)
select p.unit, p.phase, min(p.starved, coalesce(s.ns, p.starved)) as starved, min(p.io, coalesce(s.ns, p.io)) as io
from part p left join starved s on s.unit = p.unit;

-- Share of their time that ranks had no core, over the nodes whose kernel tells; else 0. Calls last
-- that much longer on average, whatever they do.
create temp table finding_core as
select coalesce(avg(value), 0) as without from metric
where run_id = (select run_id from finding_run) and "window" = 'run' and model = 'counters' and name = 'without_core';

-- Stand-ins compute on the cores of their node: the share of the time in which something waited for
-- one there. 0 for GPUs, and without counters.
create temp table finding_pressed as
select coalesce(max(1.0 * grown / span), 0) as share from (
	select max(value) - min(value) as grown, nullif(max(t_ns) - min(t_ns), 0) as span from sample
	where run_id = (select run_id from finding_run) and process_id is null and name = 'pressure.cpu' group by node_id)
where exists (select 1 from device where run_id = (select run_id from finding_run) and kind = 'stand-in');
