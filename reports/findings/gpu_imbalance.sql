-- The GPU of one rank computes more than the average of them in a phase as a whole, and for most of
-- its time; of one that is slow in steps step_compute tells. A phase without steps is
-- judged as a whole. Stand-ins that wait for cores must differ by more than these make.
with part as (
	select d.*, u.steps, l.ns as launched from finding_device d
		join finding_part u on u.phase = d.phase
		left join finding_launched l on l.phase = d.phase and l.device_id = d.device_id
-- next to the steps: what a host that is ahead had queued runs after its steps, some of it after
-- the phase
), phase_time as (
	select phase, device_id, coalesce(launched, compute) as compute from part where steps = 0
	union all
	select phase, device_id, compute from (
		select phase, device_id,
			coalesce(launched, (select t.ns from device_time t where t.run_id = :run
			and t.device_id = part.device_id and t."window" = 'phase:' || phase
			and t.state = 'compute'), 0) - compute as compute
		from part where steps > 0)
	where compute > 0
), outside as (
	select w.phase, w.device_id, w.compute, m.mean, (w.compute > m.mean) * m.mean as above
	from phase_time w join (select phase, avg(compute) as mean from phase_time group by phase) m
		on m.phase = w.phase
), own as (
	select p.phase, p.device_id,
		coalesce(p.launched, (p.steps > 0) * p.compute + coalesce(b.compute, 0)) as compute,
		((p.steps > 0) * p.above + coalesce(b.above, 0))
			/ ((p.steps > 0) * p.mean + coalesce(b.mean, 0)) as above
	from part p left join outside b on b.phase = p.phase and b.device_id = p.device_id
), most as (
	select phase, max(compute) as most, avg(compute) as mean, count(*) as n, device_id, above
	from own group by phase
)
select (m.most - m.mean) / 1e9 as seconds, nullif(m.phase, '') as phase, o.rank,
	100 * (m.most - m.mean) / m.mean as percent, m.n as gpus,
	case m.phase when '' then 'run' else 'phase:' || m.phase end as "window",
	'launched:' || m.phase as launched
from finding_run r, finding_pressed p, most m join device_owner o on o.device_id = m.device_id
where m.n > 1 and m.mean > 0 and m.above >= :least_above and m.mean < :gpus_uneven * m.most
	and (p.share < :pressed or m.mean * m.n - m.most < :standins_uneven
		* (m.n - 1) * m.most)
	and not exists (select 1 from temp.found
		where rule = 'step_compute' and rank = o.rank)
	and m.phase not in (select phase from finding_serial);
