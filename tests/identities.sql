-- What holds in every database, whatever the trace was: each row of these queries is an identity
-- that is broken, in words. For tests/analyze_identities.sh and tests/fuzz/spools.py.
select 'negative bytes in io_file' from io_file where min(bytes_read, bytes_written) < 0 limit 1;
select 'negative bytes in call ' || name from call
	where min(bytes_sent, bytes_received) < 0 limit 1;
select 'negative bytes in collective ' || seq from collective where bytes < 0 limit 1;
select 'negative bytes in throughput_second' from throughput_second where bytes < 0 limit 1;
select 'negative time in host_time ' || state from host_time where ns < 0 limit 1;
select 'negative time in location_time ' || state from location_time where ns < 0 limit 1;
select 'negative time in device_time ' || state from device_time where ns < 0 limit 1;
select 'phase ' || name || ' outside of the run' from phase
	where start_ns < 0 or end_ns < start_ns
		or end_ns > (select duration_ns + (select min(start_ns) from process) from run)
	limit 1;
select 'step ' || n || ' outside of the run' from step
	where start_ns < 0 or end_ns < start_ns
		or end_ns > (select duration_ns + (select min(start_ns) from process) from run)
	limit 1;
select 'process ' || name || ' outside of the run' from process
	where start_ns < 0 or end_ns < start_ns
		or end_ns > (select duration_ns + (select min(start_ns) from process) from run)
	limit 1;
-- asleep, or waiting for readers, are parts of state wait
select 'step ' || s.n || ' sleeps or waits for readers longer than it waits' from step s
	where min(slept_ns, readers_ns) < 0 or slept_ns + readers_ns > (
		select total(ns) from host_time h
		where h.run_id = s.run_id and h."window" = 'step:' || s.n
			and h.process_id = s.process_id and h.state = 'wait')
	limit 1;
-- lateness is the sum of its parts
select 'step ' || n || ' is not late by the sum of its parts'
	from (select n, excess_ns, late_compute_ns + late_host_ns + late_queue_ns + late_cuda_ns
		+ late_wait_ns + late_omp_idle_ns + late_io_ns + late_link_ns + late_copies_ns
		+ late_sleep_ns + late_readers_ns as late from step)
	where late is not excess_ns limit 1;
-- states of a rank's main thread fill the window
select 'states of ' || h.process_id || ' in the run sum up to ' || sum(h.ns) from host_time h
	join process p on p.id = h.process_id and p.rank is not null where "window" = 'run'
	group by h.process_id having sum(h.ns) <> (select ns from run_time) limit 1;
select 'states of device ' || device_id || ' in the run sum up to ' || sum(ns) from device_time
	where "window" = 'run' group by device_id
	having sum(ns) <> (select duration_ns from run) limit 1;
-- so do those in phases and steps, each rank's alike
select 'states of the ranks in ' || w || ' sum up to ' || min(ns) || ' to ' || max(ns)
	from (select h."window" as w, sum(h.ns) as ns from host_time h join process p
		on p.id = h.process_id and p.rank is not null group by h."window", h.process_id)
	group by w having min(ns) <> max(ns) limit 1;
-- states of a thread fill its life, but for what was not recorded of it
select 'states of location ' || l.id || ' sum up to ' || sum(t.ns) || ' in a life of '
		|| (l.end_ns - l.start_ns)
	from location l join location_time t on t.location_id = l.id
	group by l.id having sum(t.ns) > l.end_ns - l.start_ns limit 1;
-- parts of a training fill the step
select 'parts of step ' || n || ' sum up to another time' from step
	where other_ns is not null and coalesce(loading_ns, 0) + coalesce(forward_ns, 0)
		+ coalesce(backward_ns, 0) + coalesce(optimizer_ns, 0) + coalesce(checkpoint_ns, 0)
		+ coalesce(communication_ns, 0) + other_ns <> end_ns - start_ns limit 1;
-- what ranks wait for each other is in wait states
select 'rank ' || rank || ' waits ' || total(ns) || ' in wait states, for others ' || waited from (
		select s.rank, s.ns, (select max(w.value) from metric w where w.run_id = s.run_id
			and w."window" = 'run' and w.model = 'host' and w.name = 'waited_ranks'
			and w.subject = 'rank:' || s.rank) as waited from wait_state s)
	group by rank having total(ns) < waited limit 1;
-- causes: the parts of the critical path are the run, and each cause makes its steps shorter
select 'parts of the critical path sum up to ' || total(value) filter (where name <> 'length')
	from metric where model = 'critical_path' and subject = ''
	having total(value) filter (where name <> 'length')
		<> total(value) filter (where name = 'length');
select 'cause ' || n || ' saves ' || saves_ns || ' of ' || before || ', which leaves ' || takes_ns
	from (select *, lag(takes_ns) over (partition by run_id,
		part glob '*_outside' order by n) as before from cause)
	where saves_ns < 0 or before is not null and abs(before - saves_ns - takes_ns) > 1
	limit 1;
select 'the account sums up to ' || total(a.ns) || ' of ' || r.duration_ns || ' ns'
	from run r left join account a on a.run_id = r.id group by r.id
	having coalesce(sum(a.ns), 0) <> r.duration_ns limit 1;
select 'check ' || name || ' failed in ' || "window" || ': ' || message from checks
	where not ok and name in ('host_time_partition', 'device_time_partition',
		'products_telescope', 'critical_path_sums') limit 1;
-- the second account: a main thread runs in states in which it can, and where it did not run in
-- useful time it waited for a core, was stopped, or is said to be blocked
select 'check ' || name || ' failed: ' || message from checks
	where name = 'cpu_time_in_states' and not ok;
select 'no second account of ' || p.name from process p
where p.rank is not null and 1 < (select count(distinct t_ns) from sample s
		where s.process_id = p.id and s.name = 'proc.core_ran')
	and not exists (select 1 from metric where model = 'account' and name = 'useful_not_run'
		and subject = 'rank:' || p.rank and (value is not null or flag is not null))
limit 1;
-- factors
with f as (select "window" as w, subject as s, model as m, name as n, value as v from metric),
product(m, whole, a, b) as (values
	('mpi', 'parallel_efficiency', 'load_balance', 'communication_efficiency'),
	('mpi', 'communication_efficiency', 'serialisation_efficiency', 'transfer_efficiency'),
	('hybrid', 'parallel_efficiency', 'mpi_parallel_efficiency', 'thread_efficiency'))
select p.m || '.' || p.whole || ' of ' || x.w || ' is ' || x.v || ', not ' || (y.v * z.v)
from product p join f x on x.m = p.m and x.n = p.whole join f y on y.m = p.m and y.n = p.a
	and y.w = x.w and y.s = x.s join f z on z.m = p.m and z.n = p.b and z.w = x.w and z.s = x.s
where abs(x.v - y.v * z.v) > 1e-9 * abs(x.v) limit 1;
select 'host.host_parallel_efficiency of ' || w || ' is ' || whole || ', not ' || product
	from (select "window" as w,
			max(iif(name = 'host_parallel_efficiency', value, null)) as whole,
		max(iif(name = 'mpi_parallel_efficiency', value, null))
			* max(iif(name = 'device_offload_efficiency', value, null))
			* max(iif(name = 'synchronisation_efficiency', value, null))
			* max(iif(name = 'io_efficiency', value, null)) as product
		from metric where model = 'host' and subject = '' group by run_id, "window")
	where abs(whole - product) > 1e-9 * whole limit 1;
select model || '.' || name || ' of ' || "window" || ' is ' || value from metric
	where name glob '*efficiency' and (value > 1 + 1e-9 or value < 0) and flag is null limit 1;
select 'check ' || name || ' failed in ' || "window" || ' without a word' from checks
	where not ok and coalesce(message, '') = '' limit 1;
-- no more of anything than there were events to count it in
-- (polls that follow each other are one event, which tells how many they were; so are calls of
-- which there are totals only, and tries that find a socket, pipe or eventfd not ready)
select 'more calls than events: ' || total(calls) from call
	where class <> 'wait' and name not glob 'MPI_Test*' and name not glob 'MPI_I*probe'
		and name not in ('MPI_Win_test', 'MPI_Parrived')
		having total(calls) - (select total(reads + writes) from io_file
				where path glob 'socket:*' or path glob 'pipe:*'
					or path glob 'anon_inode:*') > (select nevents from run)
			and not exists (select 1 from location_time where state = 'not_in_detail');
select 'more accesses to files than events: ' || total(opens + reads + writes) from io_file
	where not (path glob 'socket:*' or path glob 'pipe:*' or path glob 'anon_inode:*')
	having total(opens + reads + writes) > (select nevents from run);
select 'more steps than events: ' || count(*) from step having count(*) > (select nevents from run);
select 'more members of collectives than events: ' || total(calls) from collective_rank
	having total(calls) > (select nevents from run);
select 'more copies than events: ' || total(copies) from copy
	having total(copies) > (select nevents from run);
select 'negative time in call ' || name from call
	where min(total_ns, min_ns, max_ns, calls) < 0 limit 1;
select 'negative time in collective ' || seq from collective
	where min(last_ns - first_ns, end_ns - first_ns) < 0 limit 1;
select 'negative time in collective_rank' from collective_rank
	where min(wait_ns, calls) < 0 limit 1;
select 'negative ' || model || '.' || name || ' of ' || "window" from metric
	where value < 0 and flag is null
	and unit in ('ns', '1', 'count', 'Bps', 'bytes') limit 1;
