-- Stragglers of table straggler, stretches of a rank added up: seconds are its excess over the
-- others, but no more than they waited. In what it is slow is the largest part of its lateness
-- (docs/lateness.md). Computing that takes longer for a short time, or where ranks have no core,
-- comes and goes on any machine, and so does what helpers do. A stand-in for a GPU computes on
-- cores: there its kernels' medians must sum to more than each other rank's, too. Where clocks of
-- nodes are tied by nothing, and calls end before what they waited for, nothing is said.
with stretch as (
	select *, until_step - since_step + 1 as n, (select max(s.end_ns) - min(s.start_ns)
		from process p join step s on s.run_id = p.run_id and s.process_id = p.id
			and s.n between since_step and until_step
		where p.run_id = g.run_id and p.rank = g.rank) / 1e9 as seconds
	from finding_stretch g
), slow as (
	select rank, min(since_step) as since, max(lasting) as lasting, max(until_step) as until,
		count(*) as stretches, sum(n) as steps, sum(1.0 * excess_ns * n) as excess,
		max(confidence) as sure, min(least_ns) / 1e6 as least_ms,
		sum(share * n) / sum(n) as share, sum(slower * n) / sum(n) as slower,
		sum(seconds) as seconds, cause, max(excess_ns * n)	-- the cause of the worst
	from stretch group by rank
), clocks as (
	select count(*) > 1 and max(clock_residual_ns is null) as loose,
		exists (select 1 from checks
		where run_id = :run and name = 'causality' and not ok) as wrong
	from node where run_id = :run
		and id in (select node_id from process where run_id = :run and rank is not null)
), helped as (	-- its other threads and its children did something meanwhile
	select w.rank from slow w, noise_constant join process m on m.run_id = :run
		and m.rank = w.rank
		join process p on p.run_id = m.run_id and m.id in (p.id, p.parent_id)
		join location l on l.run_id = p.run_id and l.process_id = p.id
		and not (l.is_main and p.id = m.id)
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
		and t.state in ('useful', 'io')
	where w.cause = 'wait' group by w.rank having sum(t.ns) >= most * w.excess
), io as materialized (	-- of all threads and children, where others read than the main threads
	select f.rank, sum(t.ns) as ns from location_time t join location l on l.id = t.location_id
		join finding_family f on f.process_id = l.process_id
	where t.run_id = :run and t.state = 'io' and exists (select 1 from finding_reader)
	group by 1
), reported as (
	select *, case when cause = 'wait' and rank in helped then 'helpers' when cause = 'io'
		and rank in finding_io_alone then 'io_alone' else cause end as why,
		cause <> 'sleep' and share < drift * (1 - seconds / drift_s) as short
	from slow, noise_constant
)
select min(w.excess, e.ns, case when f.share >= pressed
		and w.share < times and m.ns < most * w.excess then m.ns else w.excess end) / 1e9
		as seconds,
	w.rank, n.hostname, 100 * w.share as percent, 1 + w.share as times,
	case when w.share < 1 then 'percent' else 'times' end as pace, w.steps, w.stretches,
	w.since, w.until, w.since as first_step, w.until as last_step, case when w.stretches > 1
		then 'stretches' when w.lasting then 'lasting' else 'passing' end as period,
	w.why as cause, r.nranks - 1 as others, e.ns / 1e9 as waited,
	case when w.why = 'io_alone' then w.why end as advice, w.cause as "check", w.cause as plain,
	case when n.hostname is null then 'none' end as place,
	case when l.loose then 'loose' when w.short then 'low' when w.sure >= :sure
		and coalesce(v.p, 0) <= few_alpha then 'high' else 'medium' end as sure,
	k.text as line, 100 * w.slower as slower, w.least_ms,
	case when v.p > few_alpha then v.p end as by_turns, iif(w.short, w.seconds, null) as short_s
from reported w join finding_delay e on e.rank = w.rank
	join finding_run r join finding_pressed f join finding_core c join clocks l
	left join finding_kernels m on m.rank = w.rank
	left join noise v on v.run_id = r.run_id and v.rank = w.rank and v.quantity = 'own'
	left join process p on p.run_id = r.run_id and p.rank = w.rank
	left join node n on n.id = p.node_id
	left join finding_line k on k.rank = w.rank and k.ns >= most * w.excess
		and k.thread = case w.cause when 'readers' then 'child' else 'main' end
where r.nranks > 1 and not (l.loose and l.wrong) and w.sure >= most and w.share >= worth
	and (w.cause <> 'io' or coalesce((select ns from io where rank = w.rank)
		- (select avg(ns) from io where rank <> w.rank) >= most * w.excess, 1))
	and (not w.short or w.cause <> 'compute' and w.share >= part and w.slower >= always
			and w.steps >= many and c.without < pressed)
	and (f.share < pressed or w.share >= times or m.ns >= max(most * w.excess, worth * m.others)
			or m.surely)
	and (w.cause = 'sleep' or w.steps >= (select n from finding_steps)
		* case when w.share < :crowd_steep * (c.without - :crowd_from) and not exists (
				select 1 from finding_burning b where b.rank = w.rank
			and w.cause in ('readers', 'wait') and b.more >= part * w.excess)
			then scarce_part else part end);
