-- The tables of tacho stats and tacho info, in the order of their overviews. A table begins with
--   -- COMMAND NAME: title        shown in the overview
--   -- COMMAND NAME, asked: title  shown only when it is asked for
--   -- less: COLUMN, COLUMN        which are left out first where the terminal is too narrow
-- Parameters: :window (NULL = the table's default), :metric, :limit (of the overview). Columns that
-- end in _ns, _bytes, _gbps or % are shown in units of people by the format table.

-- stats run: Run
-- less: number, nodes, locations
select label, id as number, command, duration_ns, nranks as ranks,
	(select count(*) from main.node n where n.run_id = r.id) as nodes, nlocations as locations,
	nevents as events, exit_status,
	case when exists (select 1 from location where run_id = r.id and damaged is not null)
			then 'damaged: not all of its events can be read'
		when cut then 'truncated: a process was interrupted' else 'complete' end
		as state
from run r;

-- stats findings: Findings, seconds saved
-- less: confidence, evidence
select f.n, round(f.seconds, 3) as seconds, round(s.seconds, 3) as shared,
	s.others as shared_with, rule, message, advice, confidence, evidence
from finding f
left join finding_shared s on s.run_id = f.run_id and s.n = f.n
order by f.run_id, f.n;

-- stats account: What the run's duration is made up of
-- less: part, ranks
select a.n, a.what, c.part, c.ranks, c.place, a.ns as time_ns,
	round(100.0 * a.ns / r.duration_ns, 1) as "run_%"
from account a join run r on r.id = a.run_id
left join cause c on c.run_id = a.run_id and c.n = a.cause order by a.run_id, a.n;

-- stats pop: POP: parallel = load balance × communication, communication = serialisation × transfer
select window, parallel_efficiency as parallel, load_balance,
	communication_efficiency as communication, serialisation_efficiency as serialisation,
	transfer_efficiency as transfer, host_parallel_efficiency as host_useful,
	synchronisation_efficiency as handover, io_efficiency as io
from pop
where :window is null or window = :window or window like :window || ':%';

-- stats phases: Phases
select p.name as phase, count(distinct p.process_id) as ranks,
	(select instances from phase_all a
		where a.run_id = p.run_id and a.name = p.name) as instances,
	min(p.start_ns) as first_ns,
	max(max(p.end_ns), coalesce((select max(end_ns) from phase_rest t
			where t.run_id = p.run_id and t.name = p.name), 0)) as last_ns,
	(sum(p.end_ns - p.start_ns) + (select cast(total(ns) as integer) from phase_rest t
			where t.run_id = p.run_id and t.name = p.name))
		/ count(distinct p.process_id) as per_rank_ns,
	max(p.cut) as cut
from phase p
group by p.run_id, p.name
order by min(p.start_ns);

-- stats hosts: Host time per rank
-- less: cuda_ns, gloo_ns, mpi_ns, omp_idle_ns, node, window, absent_ns
select coalesce('rank ' || p.rank, p.name) as process, n.hostname as node, window,
	sum(case state when 'useful' then ns else 0 end) as useful_ns,
	sum(case state when 'io' then ns end) as io_ns,
	sum(case state when 'mpi' then ns end) as mpi_ns,
	sum(case state when 'gloo' then ns else 0 end) as gloo_ns,
	sum(case state when 'cuda' then ns else 0 end) as cuda_ns,
	sum(case state when 'wait' then ns end) as wait_ns,
	sum(case state when 'omp_idle' then ns else 0 end) as omp_idle_ns,
	sum(case state when 'absent' then ns else 0 end) as absent_ns
from host_time h
join process p on p.id = h.process_id
left join node n on n.id = p.node_id
where (window = coalesce(:window, 'run') or window like :window || ':%')
group by h.run_id, h.window, p.id
order by h.window, p.rank is null, p.rank, p.id;

-- stats calls: Calls of main threads
-- less: stddev_ns, min_ns, max_ns
select round(100.0 * own_ns / nullif(sum(own_ns) over (), 0), 1) as "time_%", own_ns as total_ns,
	own as calls, 1.0 * own_ns / own as avg_ns,
	-- those of other threads are not among them only where these called nothing
	case when own = all_calls then med end as med_ns,
	case when own = all_calls then min end as min_ns,
	case when own = all_calls then max end as max_ns,
	case when own = all_calls then stddev end as stddev_ns, name
from (
	select c.name, sum(calls) as all_calls, sum(calls - helper_calls) as own,
		sum(total_ns - helper_ns) as own_ns, min(min_ns) as min, max(max_ns) as max,
		m.ns as med, m.stddev as stddev
	from call c left join median m on m.run_id = c.run_id and m.kind = 'call'
		and m.name = c.name
	where c.class <> 'user' group by c.run_id, c.name)
where own > 0
order by own_ns desc, name
limit :limit;

-- stats helpers: Calls of other threads (helpers of runtimes mostly wait for something to do)
select round(100.0 * sum(helper_ns) / nullif(sum(sum(helper_ns)) over (), 0), 1) as "time_%",
	sum(helper_ns) as total_ns, sum(helper_calls) as calls,
	1.0 * sum(helper_ns) / sum(helper_calls) as avg_ns, class, name
from call
where class <> 'user' and helper_calls > 0
group by name
order by sum(helper_ns) desc, name
limit case when :limit < 0 then -1 else min(:limit, 10) end;

-- stats collectives: Collectives
select op, sum(calls) as calls, sum(bytes) as total_bytes, sum(skew) as skew_ns,
	sum(transfer) as transfer_ns,
	-- by the time that each took, as what all moved in all their time
	sum(algbw * timed) / sum(case when algbw is not null then timed end) * 8 / 1e9
		as algbw_gbps,
	sum(busbw * timed) / sum(case when busbw is not null then timed end) * 8 / 1e9
		as busbw_gbps,
	-- as nccl-tests print it
	sum(busbw * timed) / sum(case when busbw is not null then timed end) / 1e9
		as busbw_gb_per_s
from (
	select run_id, op, 1 as calls, bytes, last_ns - first_ns as skew,
		end_ns - last_ns as transfer,
		end_ns - last_ns as timed, algbw, busbw from collective
	union all
	select run_id, op, calls, total_bytes, skew_ns, transfer_ns, timed_ns, algbw, busbw
	from collective_rest)
group by run_id, op
order by sum(skew + transfer) desc;

-- stats python: Lines of Python
select coalesce('rank ' || rank, '-') || case thread when 'main' then '' else ', ' || thread end
	as thread, state,
	coalesce(file || ':' || coalesce(line, '?'), 'not known') as place, function,
	sum(ns) as total_ns, sum(samples) as samples,
	round(100.0 * sum(ns) / sum(sum(ns)) over (partition by run_id, rank, thread), 1)
		as "thread_%"
from python_line
group by run_id, rank, thread, state, file, line, function
order by rank is null, rank, thread <> 'main', thread, sum(ns) desc
limit :limit;

-- stats modules: Modules of PyTorch (nn.Module) in forward passes, sampled, without inner modules
select module, max(class) as class, sum(ns) as total_ns, sum(samples) as samples,
	round(100.0 * sum(ns) / sum(sum(ns)) over (partition by run_id), 1) as "modules_%"
from python_module group by run_id, module order by sum(ns) desc limit :limit;

-- stats training: What the program reported by tacho_metric(): how far the training came
-- less: given
select name, given, first, best, last, case when falls then 'falls' else 'rises' end as way
from training order by run_id, name;

-- stats gradients: How DistributedDataParallel exchanged gradients over gloo, all buckets and each
-- less: ranks
select coalesce(n + 1, 'all') as bucket, bytes, sum(exchanges) as exchanges, count(*) as ranks,
	sum(ns) / sum(exchanges) as avg_ns, sum(exposed_ns) / sum(exchanges) as exposed_avg_ns,
	round(100 - 100.0 * sum(exposed_ns) / nullif(sum(ns), 0), 1) as "hidden_%"
from (select run_id, null as n, null as bytes, passes as exchanges, ns, exposed_ns
	from gradient_pass
	union all
	select run_id, n, bytes, exchanges, ns, exposed_ns from gradient_bucket
	where n is not null)
group by run_id, n, bytes
order by n is not null, n, sum(exchanges) desc
limit :limit;

-- stats values, asked: Values of tacho_metric(), the mean of the ranks
select name, nth, step, t_ns, value, ranks from training_point order by run_id, name, nth
limit :limit;

-- stats files: Files
-- less: sequential_%, meta_time_ns, processes, class, opens
select path, class, count(*) as processes, sum(opens) as opens, sum(reads) as reads,
	sum(bytes_read) as read_bytes, sum(read_ns) as read_time_ns, sum(writes) as writes,
	sum(bytes_written) as written_bytes, sum(write_ns) as write_time_ns,
	sum(meta_ns) as meta_time_ns,
	round(100 * avg(sequential), 1) as "sequential_%"
from io_file
group by run_id, path
order by sum(ns) desc, path
limit :limit;

-- stats throughput: Throughput per node, Gb/s, by counters and by recorded calls
select node, window, what, source, mean as mean_gbps, peak as peak_gbps
from (
	select 1 as k, node, window, source, 'storage read' as what,
		storage_read_gbps as mean, storage_read_peak_gbps as peak from throughput
	union all
	select 2, node, window, source, 'storage write', storage_write_gbps,
		storage_write_peak_gbps from throughput
	union all
	select 3, node, window, source, 'network sent', network_sent_gbps,
		network_sent_peak_gbps from throughput
	union all
	select 4, node, window, source, 'network received', network_received_gbps,
		network_received_peak_gbps from throughput)
where (:window is null or window = :window or window like :window || ':%') and mean is not null
order by node, window, k, source;

-- stats roofs: Rates as shares of what tacho doctor measured on the node
with rate as (
	select node, source, 'storage_read' as what, storage_read_gbps as mean,
		storage_read_peak_gbps as peak from throughput where window = 'run'
	union all
	select node, source, 'storage_write', storage_write_gbps, storage_write_peak_gbps
	from throughput where window = 'run'
	union all
	select node, source, 'network_sent', network_sent_gbps, network_sent_peak_gbps
	from throughput where window = 'run'
	union all
	select node, source, 'network_received', network_received_gbps, network_received_peak_gbps
	from throughput where window = 'run'
)
select r.node, replace(r.what, '_', ' ') as what, r.source, r.mean as mean_gbps,
	r.peak as peak_gbps, cast(e.value as real) as roof_gbps,
	round(100 * r.mean / e.value, 1) as "mean_%", round(100 * r.peak / e.value, 1) as "peak_%"
from rate r join environment e on e.scope = 'node:' || r.node
	and e.key = 'roof.' || case when r.what like 'network%' then 'network' else r.what end
		|| '_gbps'
where r.mean is not null
order by r.node, r.what, r.source;

-- stats steps, asked: Steps
select n as step, count(*) as ranks, min(start_ns) as start_ns,
	max(end_ns) - min(start_ns) as duration_ns,
	max(end_ns - start_ns) - min(end_ns - start_ns) as spread_ns, sum(samples) as samples,
	max(cut) as cut
from step
group by run_id, n
order by n;

-- stats stragglers: Stragglers
select rank, since_step, case lasting when 1 then 'end' else until_step end as until_step,
	cause, excess_ns, 100 * share as "excess_%", waited_ns as others_waited_ns, confidence
from straggler
order by waited_ns desc;

-- stats losses: Not recorded
select subject, kind, reason, count, bytes as moved_bytes, ns as missed_ns, message
from not_recorded;

-- stats checks: Checks that failed
select window, name, message
from checks
where not ok;

-- stats unmatched: Messages without their partner
select message
from unmatched
order by n;

-- stats inside: Calls that threads were inside of at the end
select coalesce('rank ' || p.rank, p.name) as process, p.end as process_end, l.name as thread,
	l.inside, l.inside_since_ns as since_ns, l.damaged
from location l
left join process p on p.id = l.process_id
where l.inside is not null or l.damaged is not null;

-- stats metrics, asked: Metrics
select window, model, name, subject, value, unit, flag
from metric
where (:metric is null or name = :metric or model || '.' || name = :metric) and (:window is null
	or window = :window or window like :window || ':%');

-- stats kernels: Kernels
select round("Time %", 1) as "time_%", "Total" as total_ns, "Calls" as calls, "Avg" as avg_ns,
	"Med" as med_ns, "Min" as min_ns, "Max" as max_ns, "StdDev" as stddev_ns, "Name" as name
from gpu_summary
order by "Total" desc, "Name";

-- stats copies: Copies by kind of host memory
select op, memory, sum(copies) as copies, sum(bytes) as bytes, sum(total_ns) as total_ns,
	1.0 * sum(bytes) / sum(total_ns) as "GB/s"
from copy
group by op, memory
order by 5 desc;

-- stats synchronisation: Calls that wait for a device
select coalesce('rank ' || p.rank, p.name) as process, s.name, s.kind, s.calls, s.total_ns,
	s.max_ns, s.calls_per_step
from synchronisation s
join process p on p.id = s.process_id
order by s.total_ns desc;

-- stats energy: Energy of GPUs
select node, gpu, case kind when 'stand-in' then 'emulated' else 'real' end as kind, joules,
	seconds, watts, steps, joules_per_step
from gpu_energy
order by node, gpu;

-- stats devices: Device time
select coalesce('rank ' || o.rank, p.name) as process, n.hostname as node, d.name as device, window,
	state, ns as time_ns
from device_time t
join device d on d.id = t.device_id
left join device_owner o on o.device_id = d.id
left join process p on p.id = o.process_id
left join node n on n.id = d.node_id
where (window = coalesce(:window, 'run') or window like :window || ':%')
order by window, o.rank is null, o.rank, d.id, state;

-- stats environment, asked: Environment
select scope, key, value
from environment;

-- info run: Run
select label, command, datetime(start_ns / 1000000000, 'unixepoch') as started_utc, duration_ns,
	nranks as ranks, nevents as events,
	case when exists (select 1 from location where run_id = run.id and damaged is not null)
			then 'damaged'
		when cut then 'truncated' else 'complete' end as state, tacho_version,
		path as archive
from run;

-- info processes: Processes
select p.name as process, n.hostname as node, p.pid, p.end as process_end, p.start_ns,
	p.end_ns - p.start_ns as lived_ns, count(l.id) as locations, sum(l.nevents) as events
from process p
left join node n on n.id = p.node_id
left join location l on l.process_id = p.id
group by p.id
order by p.id;

-- info content: Calls recorded
select class, count(distinct name) as names, sum(calls) as calls, sum(total_ns) as total_ns
from call
group by run_id, class
order by 3 desc;

-- info clocks: Clocks
select hostname as node, clock_residual_ns, case when clock_residual_ns is not null
		then 'what may remain against the clock of the first node'
	when (select count(*) from node) = 1 then 'one node, one clock'
	when not exists (select 1 from environment where key = 'TACHO::VERSION')
		then 'not in the trace'
	else 'nothing synchronises this clock with the others' end as meaning
from node;

-- info cost: Measurement overhead, by the calibrated cost of a call
select sum(c.calls) as calls, cast(e.value as real) as per_call_ns,
	sum(c.calls) * cast(e.value as real) / max(r.nranks, 1) as per_rank_ns,
	100 * sum(c.calls) * cast(e.value as real) / max(r.nranks, 1) / r.duration_ns as
		"share_%"
from run r
join environment e on e.run_id = r.id and e.key = 'TACHO::CALL_COST_NS'
join call c on c.run_id = r.id and c.class <> 'user'
group by r.id;

-- info captured: Captured
select 100 * m.value as "share_%",
	(select value from environment where key = 'TACHO::CAPTURE_WINDOW' limit 1) as
		limited_to
from metric m
where m.model = 'quality' and m.name = 'captured';

-- info losses: Not recorded
select subject, kind, reason, count, bytes as moved_bytes, message
from not_recorded
union all
select '', '', '', 0, null, 'nothing is known to be missing' where not exists (select 1 from
	not_recorded);

-- info damaged: Damaged
select name as location, ref, nevents as read, damaged
from location
where damaged is not null;

-- info unmatched: Messages without their partner
select count(*) as messages, min(message) as first
from unmatched
having count(*) > 0;

-- info checks: Checks
select sum(ok) as passed, sum(not ok) as failed,
	group_concat(case when not ok then name || ' (' || window || ')' end, ', ') as which
from checks;
