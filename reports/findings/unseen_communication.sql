-- Ranks of which no communication was seen (gloo, sockets) wait for each other, too, but nobody
-- says who for whom. One that computes and is in I/O for longer keeps the others waiting, if these
-- wait for others than readers by as much; where ranks lack cores it must be more. With equal parts
-- all would be through after the average. What is left of that waiting in each rank is what
-- communication itself takes, at most. A phase that one rank works in alone is serial_phase's. What
-- ranks waited through sockets, and for whom, is known (socket_wait).
with did as (
	select f.phase, f.rank, f.work, (f.outside - f.work) * (1 - coalesce(m.value, 0)) as waits,
		count(*) over (partition by f.phase) as ranks,
		avg(f.work) over (partition by f.phase) as mean,
		row_number() over (partition by f.phase order by f.work desc) as nth
	from finding_unseen u cross join finding_rank f
		left join metric m on m.run_id = u.run_id and m.model = 'host'
		and m.name = 'wait_for_readers'
		and m."window" = case f.phase when '' then 'run' else 'phase:' || f.phase end
		and m.subject = 'rank:' || f.rank
	where f.phase not like '%checkpoint%' and f.phase not in ('setup', 'init')
), most as (
	select d.*, (d.mean * d.ranks - d.work) / (d.ranks - 1) as others,
		(select avg(o.waits) from did o where o.phase = d.phase
				and o.rank <> d.rank) as others_wait
	from did d where d.nth = 1 and d.ranks > 1
		and d.phase not in (select phase from finding_serial)
), asleep as (	-- of which other rules tell
	select min(ns) as ns from (select sum(ns) as ns from (
			select subject, value as ns from metric
			where run_id = :run and "window" = 'run' and model = 'host'
				and name = 'slept'
			union all select 'rank:' || rank, ns from finding_lock) group by subject)
	having count(*) = (select nranks from finding_run)
), least as (
	select max(0, sum(waits) - coalesce((select ns from asleep), 0)) as ns
	from (select phase, min(waits) as waits from did group by phase)
), whole as (
	select sum(case h.state when 'wait' then h.ns * (1 - coalesce(m.value, 0)) else 0 end)
		- coalesce((select sum(value) from metric
			where run_id = :run and "window" = 'run' and model = 'host'
				and name = 'slept'), 0)
			- (select total(ns) from finding_lock)
			- (select total(late_ns + transfer_ns) from socket_wait
				where run_id = :run) as waits, sum(h.ns) as ns
	from finding_unseen u join host_time h on h.run_id = u.run_id and h."window" = 'run'
		and h.state <> 'absent'
		join process p on p.id = h.process_id left join metric m on m.run_id = u.run_id
		and m.model = 'host' and m.name = 'wait_for_readers'
		and m."window" = 'run' and m.subject = 'rank:' || p.rank
	where p.rank is not null
)
select (m.work - m.mean) / 1e9 as seconds, 'imbalance' as message, 'imbalance' as brief,
	'imbalance' as advice,
	'imbalance' as confidence, nullif(m.phase, '') as phase,
	case m.phase when '' then 'run' else 'phase:' || m.phase end as "window", m.rank,
	m.work / 1e9 as work, m.ranks - 1 as others, m.others / 1e9 as others_work,
	m.others_wait / 1e9 as others_wait, null as percent, 'own' as of
from most m, finding_core c, finding_run r
where m.others < m.work * (1 - max(1 - :uneven, c.without))
	and m.others_wait >= :most * (m.work - m.others)
	-- less comes and goes with what communication itself computes
	and m.work - m.mean >= :little * 1e9 * r.seconds_all
union all
select min(l.ns, w.waits / r.nranks) / 1e9, 'waiting', 'waiting', 'waiting', 'waiting', null,
	'run', null, null, null, null, null,
	100.0 * w.waits / w.ns, 'own/wait/ranks'
from least l, whole w, finding_run r where w.waits >= :some * w.ns;
