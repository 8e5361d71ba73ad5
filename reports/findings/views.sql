-- What several rules need, of the run in temp.finding_run (run_id, seconds_all, least, nranks).
-- Tables, not views: each is made once. finding_reader stands in readers.sql; what each step and
-- each collective has a part in is added up by the program (analyzer/advise/finding_unit.c,
-- finding_device.c, finding_collective.c, finding_alone.c, finding_uneven.c).

-- Phases by the clock: from the first rank in to the last out, summed over instances.
create temp table finding_phase as
select name, instances, ns from phase_all where run_id = :run;

-- How many steps there are, those without a row included.
create temp table finding_steps as
select count(distinct n) + coalesce((select max(steps) from (select sum(steps) as steps
			from step_rest where run_id = :run group by process_id)), 0) as n
from step where run_id = :run;

-- What a device computed of what was launched in a phase, wherever it ran; no row of any where no
-- trace reports launches.
create temp table finding_launched as
with launched as (
	select device_id, substr("window", 10) as phase, ns from device_time
	where run_id = :run and "window" between 'launched:' and 'launched;'
)
select d.device_id, p.phase, coalesce(l.ns, 0) as ns
from (select distinct device_id from launched) d cross join (select distinct phase from launched) p
	left join launched l on l.device_id = d.device_id and l.phase = p.phase;
create unique index temp.finding_launched_phase on finding_launched(phase, device_id);

-- Ranks that are slow in I/O for a quarter of their steps: what they are in I/O elsewhere is no
-- sign of more to do.
create temp table finding_slow_io as
select rank from straggler where run_id = :run and cause = 'io'
group by rank having sum(until_step - since_step + 1) >= 0.25 * (select n from finding_steps);

-- The run, if several ranks tell each other nothing by MPI or NCCL that was seen; of those with
-- devices nothing is said.
create temp table finding_unseen as
select r.run_id from finding_run r where r.nranks > 1
	and not exists (select 1 from collective where run_id = r.run_id)
	and not exists (select 1 from call where run_id = r.run_id and class in ('mpi', 'gloo',
		'nccl'))
	and not exists (select 1 from host_time where run_id = r.run_id and "window" = 'run'
			and state in ('mpi', 'gloo'))
	and not exists (select 1 from device where run_id = r.run_id);

-- What each main thread waited for semaphores, locks and queues of threads, less what readers ended
-- of its waiting.
create temp table finding_lock as
select p.rank, max(0, m.value
		- coalesce((select f.value * (select total(h.ns) from host_time h
			where h.run_id = p.run_id and h.process_id = p.id
		and h."window" = 'run' and h.state = 'wait') from metric f
		where f.run_id = p.run_id and f."window" = 'run' and f.model = 'host'
		and f.name = 'wait_for_readers' and f.subject = m.subject), 0)) as ns
from process p join metric m on m.run_id = p.run_id and m."window" = 'run' and m.model = 'host'
	and m.name = 'waited_semaphores' and m.subject = 'rank:' || p.rank
where p.run_id = :run and p.rank is not null;

-- Collectives after the first step in which ranks waited unusually long for the last one.
create temp table finding_long as
select rank, ns from finding_stop
where ns >= 10 * typical and ns >= 0.02e9 and first_ns >= (
	select max((select s.start_ns from step s where s.run_id = :run and s.process_id = p.id
			order by s.n limit 1))
	from process p where p.run_id = :run and p.rank is not null);

-- Phases that only one rank of those is in: the others wait for it while they are in no phase, and
-- no longer than they wait there.
create temp table finding_unseen_phase as
select f.process_id, f.start_ns, f.end_ns from finding_unseen u join phase f on f.run_id = u.run_id
where exists (select 1 from temp.finding_alone);
create index temp.finding_unseen_phases on finding_unseen_phase(process_id, start_ns, end_ns);
create temp table finding_unseen_alone as
with alone as (
	select phase, rank, t as start_ns, lead(t) over (partition by phase, rank
			order by t) as end_ns, opens
	from temp.finding_alone join finding_unseen
), other as (
	select p.id, p.rank, (select sum(case "window" when 'run' then ns else -ns end)
			from host_time h where h.run_id = p.run_id
			and h.process_id = p.id and h.state = 'wait'
			and (h."window" = 'run' or h."window" between 'phase:' and 'phase;'))
				as waits
	from process p join finding_unseen u on u.run_id = p.run_id
	where p.rank is not null and exists (select 1 from finding_unseen_phase f
			where f.process_id = p.id)
), between_phases as (
	select a.phase, a.rank, o.rank as other, o.waits, sum(a.end_ns - a.start_ns - coalesce((
		select sum(min(f.end_ns, a.end_ns) - max(f.start_ns, a.start_ns))
		from finding_unseen_phase f
		where f.process_id = o.id and f.start_ns < a.end_ns and f.end_ns > a.start_ns), 0))
			as ns
	from alone a join other o on o.rank <> a.rank where a.opens > 0 and a.end_ns is not null
	group by a.phase, a.rank, o.rank
)
select phase, rank, min(min(ns, waits)) as ns from between_phases group by phase, rank
having min(min(ns, waits)) > 0;

-- Phases in which one rank of several does nearly all that is done outside of MPI, each other next
-- to nothing. Of a phase that only one rank is in, the time in which others waited for it counts,
-- in a collective or as told above. A host may be alone for the little time in which it launches
-- what its device does: the longer of both counts. Where communication is not seen others wait for
-- the rank in state wait.
create temp table finding_serial as
with own as (
	select substr(h."window", 7) as phase, p.rank,
		sum(case when h.state in ('mpi', 'gloo', u.waits) then 0 else h.ns end) as ns,
		sum(case when h.state in ('mpi', 'gloo', u.waits) or h.state = 'io'
					and p.rank in finding_slow_io then 0 else h.ns end) as work
	from host_time h join process p on p.id = h.process_id
		join (select case when exists (select 1 from finding_unseen) then 'wait'
					else 'mpi' end as waits) u
	where h.run_id = :run and h."window" between 'phase:' and 'phase;'
		and p.rank is not null and h.state <> 'absent'
	group by h."window", p.id
), ordered as (
	select phase, rank, ns, work, sum(work) over (partition by phase) as total,
		count(*) over (partition by phase) as present,
		row_number() over (partition by phase order by work desc) as nth,
		coalesce(lead(work) over (partition by phase order by work desc), 0) as second
	from own
), alone as (
	select phase, rank, ns from ordered where nth = 1 and present > 1 and work >= 0.9 * total
		and second <= 0.05 * work
)
select phase, rank, max(ns) as ns from (
select phase, rank, ns from alone
union all
select phase, rank, ns from finding_awaited
union all
select phase, rank, ns from finding_unseen_alone
union all
-- hosts that wait for their devices look alike: one device of several computes
select phase, rank, max(busy, ns) from (
	select phase, rank, busy, ns, sum(ns) over (partition by phase) as total,
		count(*) over (partition by phase) as devices from (
		select substr(t."window", 7) as phase, p.rank,
			sum(case when t.state in ('nccl_wait', 'nccl', 'absent') then 0
					else t.ns end) as busy,
			coalesce((select sum(l.ns) from finding_launched l
						join device_owner q on q.device_id = l.device_id
				where l.phase = substr(t."window", 7) and q.rank = p.rank),
					sum(case when t.state = 'compute' then t.ns else 0 end))
					as ns
		from device_time t join device_owner p on p.run_id = t.run_id
			and p.device_id = t.device_id
		where t.run_id = :run and t."window" between 'phase:' and 'phase;'
			and p.rank is not null
		group by t."window", p.rank))
where devices > 1 and total > 0 and ns >= 0.98 * total and phase not in ('setup', 'init')
) group by phase;

-- How a device is fed: kernels, launches and blocking synchronisations per device, the mean
-- duration of a kernel, and the time without work that is not for input, copies or others. Kernels
-- of 20 us are as long as a launch takes with a framework around it. The gaps of GPU idle
-- attribution begin with the launch call: where that takes longer than a latency they are `queued`,
-- and launching all the same, as far as a call and a latency (`launch_ns`) for each go.
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
		+ 10000 as ns
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
)
select 1.0 * k.calls / d.n as kernels, 1.0 * k.ns / k.calls as kernel_ns,
	1.0 * s.calls / d.n as syncs,
	1.0 * l.calls / d.n as launches, l.ns as launch_ns, g.api, g.queued, g.host, g.wait,
	k.ns < 20000.0 * k.calls as short, (select coalesce(sum(steps), 0)
			from finding_part) as steps
from devices d, kernels k, syncs s, launches l, gaps g where d.n > 0 and k.calls > 0;

-- Of the phases in which input counts: ns that the ranks would be through earlier if their busy
-- readers kept them waiting no more (`starved`), and if their main threads did no I/O (`io`).
create temp table finding_fed as
select phase, starved, io from finding_part where phase not like '%checkpoint%'
	and phase not in ('setup', 'init');

-- What every rank waited in these, for whatever, outside of MPI.
create temp table finding_waits as
select min(ns) as ns from (select rank, sum(outside - work) as ns from finding_rank
	where phase in (select phase from finding_fed) group by rank);

-- Input without what readers need to start, of which input_starting tells.
create temp table finding_input as
select phase, starved * (1 - coalesce(min(1, (select 1.0 * ns from finding_starting)
		/ nullif((select ns from finding_waits), 0)), 0)) as starved, io
from finding_fed;

-- How sure that is: waiting that no recorded call ended is known by phase only, and may be more.
create temp table finding_input_sure as
select case when min(value) < 0.9 then 'phase' else 'step' end as sure
from metric where run_id = :run and model = 'host' and name = 'wait_for_readers'
	and "window" in (select 'run' union all select 'phase:' || phase from finding_input);

-- What was done on the files of the data set, of which there may be many.
create temp table finding_data as
select sum(opens) as opens, sum(reads) as reads, sum(bytes_read) as bytes, sum(ns) as ns,
	-- on those that were read
	sum(case when bytes_read > 0 then opens + reads end) as accesses
from io_file where run_id = :run and class = 'dataset';

-- What ranks spent on files, but for those of the system, read when a program begins, and what is
-- none (sockets, pipes; but a timer, which stands for storage that is slow: tacho-trainer --plant
-- slow-storage). `wrote`: on writing, and on opening, closing and syncing what is written, less
-- what threads of a rank did that only write. Where checkpoints are a phase they have a rule of
-- their own.
create temp table finding_own as
with phase as (
	select exists (select 1 from finding_phase
			where name like '%checkpoint%' or name like '%ckpt%') as is_marked
), file as (
	select f.process_id, f.class, f.ns, case when f.bytes_written = 0 then 0 else
		coalesce(1.0 * f.ns * (f.write_ns + f.meta_ns)
				/ nullif(f.read_ns + f.write_ns + f.meta_ns, 0), 0) end as wrote
	from io_file f join process p on p.id = f.process_id
	where f.run_id = :run and p.rank is not null and (f.class <> 'other'
		or f.path = 'anon_inode:[timerfd]' or f.bytes_written > 0
		and not (f.path glob '[(]*' or f.path glob 'std*' or f.path glob '/proc/*'
				or f.path glob '/sys/*'
			or f.path glob '/dev/*' or f.path glob 'socket:*' or f.path glob 'pipe:*'
			or f.path glob 'anon_inode:*' or f.path glob 'memfd:*'))
), beside as (
	select l.process_id, sum(t.ns) as ns from location l
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
	where l.run_id = :run and not l.is_main and l.bytes_read = 0 and t.state = 'io'
	group by l.process_id
)
select f.process_id, sum(f.ns - f.wrote) as read,
	max(0, sum(case when f.class = 'checkpoint' and h.is_marked then 0 else f.wrote end)
			- coalesce(b.ns, 0)) as wrote
from file f join phase h left join beside b on b.process_id = f.process_id group by f.process_id;

-- Of the main threads' I/O what they read, without prefetching, and what they write.
create temp table finding_io as
select i.io, i.read, min(i.io - i.read, coalesce((select max(wrote) from finding_own), 0)) as wrote
from (select sum(io) as io, case when exists (select 1 from finding_reader) then 0
	else min(sum(io), coalesce((select max(read) from finding_own), 0)) end as read
		from finding_input) i;

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
)
select a.rank, a.ns - max(b.ns) as ns, max(b.ns) as others, a.ns >= 1.33 * max(b.ns)
	and a.least >= 1.33 * max(b.least) as surely
from work a join work b on b.rank <> a.rank group by a.rank;

-- Ranks that do nearly all I/O, 20 times as much as any other: by time, and by calls or bytes, as a
-- slow disk has as many as others. Readers do it for all.
create temp table finding_io_alone as
with does as materialized (
	select p.rank, sum(c.total_ns) as ns, sum(c.calls) as calls,
		total(c.bytes_sent) + total(c.bytes_received) as bytes
	from call c join process p on p.run_id = c.run_id and p.id = c.process_id
	where c.run_id = :run and c.class = 'io' and p.rank is not null group by p.rank
)
select d.rank from does d left join does o on o.rank <> d.rank
where not exists (select 1 from finding_reader) group by d.rank
having d.ns > 20 * coalesce(max(o.ns), 0) and (d.calls > 20 * coalesce(max(o.calls), 0)
		or d.bytes > 20 * coalesce(max(o.bytes), 0));

-- What slow_rank has said of waiting for readers, of I/O of main threads, and of want of cores: as
-- that rank's own it is no input that all wait for, and no core would give it back once more. A
-- view, as rules before it change it.
create temp view finding_late as
with late as (
	select total(case cause when 'readers' then 1.0 * excess_ns * (until_step - since_step + 1)
			end) as readers,
		total(case cause when 'io' then 1.0 * excess_ns * (until_step - since_step + 1)
			end) as io,
		total(contention_ns) as contention,
		(select total(seconds) * 1e9 from temp.found where rule = 'slow_rank') as told
	from straggler where run_id = (select run_id from finding_run)
)
select min(readers, told) as readers, min(io, told - min(readers, told)) as io,
	min(contention, told) as contention from late;

-- The line of Python in which a rank was longer than the others on average by most, of its main
-- thread and of its children: the function that is longer by most, and its line that is. Where it
-- communicates it waits for others.
create temp table finding_line as
with line as (
	select rank, thread, file, function, line, sum(ns) as ns from python_line
	where run_id = :run and rank is not null and file is not null and state <> 'communication'
	group by 1, 2, 3, 4, 5
), mean as (
	select thread, file, function, line, 1.0 * sum(ns) / (select nranks from finding_run) as ns
	from line group by 1, 2, 3, 4
), more as (
	select l.rank, l.thread, l.file, l.function, l.line, (l.ns - m.ns)
		* r.nranks / (r.nranks - 1) as ns
	from line l join mean m on m.thread = l.thread and m.file = l.file
		and m.function = l.function and m.line is l.line join finding_run r
	where r.nranks > 1
), within as (
	select rank, thread, file, function, sum(ns) as ns, line, max(ns) from more
	group by 1, 2, 3, 4
)
select rank, thread, case function when '<module>' then '' else function || '() at ' end
	|| replace(file, rtrim(file, replace(file, '/', '')), '') || ':' || coalesce(line, '?')
	as text, max(ns) as ns
from within group by rank, thread;
