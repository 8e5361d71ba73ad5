-- Stragglers of table straggler, stretches of a rank added up: its excess over the others, step by
-- step, but no more than they waited for it. A rank that is a tenth slower for a quarter of its
-- steps and for 17 s counts: less comes and goes on any machine. Cores of one that is shared were
-- 26 % slower for 4 s, and 54 % for 3 s, without anybody in the way: in a shorter time a rank must
-- be slower by more, unless it is not by computing that it is slow, in nearly all of twenty steps,
-- and ranks had their cores, which is told with low confidence; and a stand-in for a GPU that waits
-- for cores was 3 times as slow, as was a rank, for half of its steps, where ranks had no core for
-- nine tenths of the time: from six tenths on it must be so in nearly all steps, or by the more,
-- the longer ranks have none. A stand-in that had no core now and then took longer for some of its
-- kernels: where the medians of all its kernels add up to more than those of each other rank, by
-- half of its excess, it is slow or does more. So it is where they do by a third, and the shortest
-- of them do: then that is what it is slower by, and the rest of its excess was want of cores. Who
-- waited for whom is not known where clocks of nodes are tied by nothing; where calls end before
-- what they waited for they are wrong, and all ranks seem to wait, or none. What is of the host is
-- told by what its main thread had most of above the others: computing beside a GPU, waiting or
-- calls. It waits for helpers where the rank's other threads and its children did something for at
-- least half of the excess. Where readers work ahead, a rank is slow in I/O when they run short: it
-- is its own trouble where they and its main thread were longer in I/O than the others', by half of
-- its excess. Else all have it, and whose samples come last goes to and fro. Where the others do
-- next to none, no disk is slow: it has to do it alone.
with stretch as (
	select g.*, (select max(s.end_ns) - min(s.start_ns) from process p
			join step s on s.run_id = p.run_id and s.process_id = p.id
		and s.n between g.since_step and g.until_step
		where p.run_id = g.run_id and p.rank = g.rank) as ns
	from straggler g where g.run_id = :run
), slow as (
	select rank, min(since_step) as since, max(lasting) as lasting, max(until_step) as until,
		count(*) as stretches,
		sum(1.0 * excess_ns * (until_step - since_step + 1)) as excess,
		sum(waited_ns) as waited,
		sum(share * (until_step - since_step + 1))
			/ sum(until_step - since_step + 1) as share,
		sum(slower * (until_step - since_step + 1))
			/ sum(until_step - since_step + 1) as slower,
		-- the cause of the worst
		max(confidence) as sure, sum(ns) / 1e9 as seconds,
		sum(until_step - since_step + 1) as steps, cause,
		max(excess_ns * (until_step - since_step + 1))
	from stretch group by rank
), told as (
	select *, share < 0.7 - 0.035 * seconds as short from slow
), work as materialized (
	select o.rank, sum(k.calls * coalesce(k.median_ns, k.min_ns)) as ns,
		sum(k.calls * k.min_ns) as least from kernel k
		join device_owner o on o.run_id = k.run_id and o.device_id = k.device_id
	where k.run_id = :run and k.class not in ('nccl', 'memory') and o.rank is not null
	group by o.rank
), more as (	-- of a rank whose kernels are longer
	select a.rank, a.ns - max(b.ns) as ns, max(b.ns) as others, a.ns >= 1.33 * max(b.ns)
		and a.least >= 1.33 * max(b.least) as surely
	from work a join work b on b.rank <> a.rank group by a.rank
), clocks as (
	select count(*) > 1 and max(clock_residual_ns is null) as loose,
		exists (select 1 from checks
		where run_id = :run and name = 'causality' and not ok) as wrong
	from node n where run_id = :run and exists (select 1 from process
			where node_id = n.id and rank is not null)
), main as materialized (
	select p.rank, h.state, h.ns from host_time h
		join process p on p.run_id = h.run_id and p.id = h.process_id
	where h.run_id = :run and h.window = 'run' and p.rank is not null
		and (h.state in ('wait', 'omp_idle', 'cuda') or h.state = 'useful'
				and exists (select 1 from device where run_id = h.run_id))
), host as (	-- the state that grew most
	select rank, state, max(grown)
	from (select a.rank, a.state, a.ns - (select total(b.ns) from main b
		where b.state = a.state and b.rank <> a.rank) / (r.nranks - 1) as grown from main a
			join finding_run r where r.nranks > 1)
	where grown > 0 group by rank
), helped as (
	select w.rank, sum(t.ns) >= 0.5 * w.excess as much from slow w
		join process m on m.run_id = :run and m.rank = w.rank
		join process p on p.run_id = m.run_id and m.id in (p.id, p.parent_id)
		join location l on l.run_id = p.run_id and l.process_id = p.id
		and not (l.is_main and p.id = m.id)
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
		and t.state in ('useful', 'io')
	where w.cause = 'host' group by w.rank
), sleep as materialized (	-- of the main threads, for a time that the program gave
	select cast(substr(subject, 6) as integer) as rank, value as ns from metric
	where run_id = :run and "window" = 'run' and model = 'host' and name = 'slept'
		and subject glob 'rank:*'
), sleeper as (
	select s.rank from slow w join sleep s on s.rank = w.rank, finding_run r
	where s.ns - (select total(o.ns) from sleep o where o.rank <> s.rank) / (r.nranks - 1)
		>= 0.5 * w.excess
), part as (
	select w.rank, case when w.cause <> 'host' then w.cause
		when h.state = 'wait' and w.rank in sleeper then 'sleep'
		when h.state = 'wait' and d.much then 'helpers'
		else coalesce(h.state, 'host') end as name
	from slow w left join host h on h.rank = w.rank left join helped d on d.rank = w.rank
), io as materialized (	-- of all threads and children, where others read than the main threads
	select f.rank, sum(t.ns) as ns from location_time t join location l on l.id = t.location_id
		join finding_family f on f.process_id = l.process_id
	where t.run_id = :run and t.state = 'io' and exists (select 1 from finding_reader)
	group by 1
), does as materialized (
	select p.rank, sum(c.total_ns) as ns, sum(c.calls) as calls,
		total(c.bytes_sent) + total(c.bytes_received) as bytes
	from call c join process p on p.run_id = c.run_id and p.id = c.process_id
	where c.run_id = :run and c.class = 'io' and p.rank is not null group by p.rank
), alone as (	-- by time, and by calls or bytes: a slow disk has as many as others
	select d.rank from slow w join does d on d.rank = w.rank
		left join (select s.rank, max(b.ns) as ns, max(b.calls) as calls,
		max(b.bytes) as bytes from slow s join does b on b.rank <> s.rank group by s.rank) o
			on o.rank = d.rank
	where w.cause = 'io' and not exists (select 1 from finding_reader)
		and d.ns > 20 * coalesce(o.ns, 0)
		and (d.calls > 20 * coalesce(o.calls, 0) or d.bytes > 20 * coalesce(o.bytes, 0))
)
select min(w.excess, 1.0 * w.waited / (r.nranks - 1),
		case when f.share >= 0.1 and w.share < 4 and m.ns < 0.5 * w.excess then m.ns
			else w.excess end) / 1e9 as seconds,
	w.rank, n.hostname, 100 * w.share as percent, 1 + w.share as times,
	case when w.share < 1 then 'percent' else 'times' end as pace,
	w.steps, w.stretches, w.since, w.until,
	case when w.stretches > 1 then 'stretches' when w.lasting then 'lasting'
		else 'passing' end as period,
	case when i.name = 'io' and w.rank in alone then 'io_alone' else i.name end as cause,
	r.nranks - 1 as others, w.waited / 1e9 / (r.nranks - 1) as waited,
	case when i.name = 'io' and w.rank in alone then 'io_alone' end as advice,
	case when n.hostname is null then 'none' end as place, i.name as look,
	case when l.loose then 'loose' when w.short then 'low' when w.sure >= 0.8 then 'high'
		else 'medium' end as sure,
	100 * w.slower as slower, case when w.short then w.seconds end as short_s
from told w join part i on i.rank = w.rank join finding_run r join finding_pressed f
	join finding_core c join clocks l left join more m on m.rank = w.rank
	left join process p on p.run_id = r.run_id and p.rank = w.rank
	left join node n on n.id = p.node_id
where r.nranks > 1 and not (l.loose and l.wrong) and w.sure >= 0.5 and w.share >= 0.1
	and (w.cause <> 'io' or coalesce((select ns from io where rank = w.rank)
		- (select avg(ns) from io where rank <> w.rank) >= 0.5 * w.excess, 1))
	and (not w.short or w.cause <> 'compute' and w.share >= 0.25 and w.slower >= 0.95
			and w.steps >= 20 and c.without < 0.1)
	and (f.share < 0.1 or w.share >= 4 or m.ns >= max(0.5 * w.excess, 0.1 * m.others)
			or m.surely)
	and w.steps >= (select n from finding_steps)
		* case when w.share < 10 * (c.without - 0.6) then 0.8 else 0.25 end;
