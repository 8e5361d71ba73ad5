-- The GPU of one rank computes more than the average of them in a phase as a whole, and for most of its time;
-- where a rank is slow for a time that rank is the finding. A phase without steps is judged as a whole.
-- Stand-ins that wait for cores must differ by more than these make.
with part as (
	select u.phase, d.unit, d.device_id,
		coalesce(case when d.unit like 'step:%' then null else l.ns end, d.compute) as compute
	from finding_unit u join finding_device d on d.unit = u.unit
		left join finding_launched l on l.phase = u.phase and l.device_id = d.device_id
), behind as (	-- what a host that is steps ahead had queued runs behind its steps, some of it behind the phase
	select p.phase, 'rest:' || p.phase as unit, p.device_id,
		coalesce((select l.ns from finding_launched l where l.phase = p.phase and l.device_id = p.device_id),
			(select t.ns from device_time t where t.run_id = (select run_id from finding_run) and t.device_id = p.device_id
				and t."window" = 'phase:' || p.phase and t.state = 'compute'), 0) - sum(p.compute) as compute
	from part p where p.unit like 'step:%' group by p.phase, p.device_id
), every as (
	select * from part union all select * from behind where compute > 0
), own as (	-- a window function would sort all of them twice
	select phase, device_id, coalesce((select l.ns from finding_launched l where l.phase = every.phase
		and l.device_id = every.device_id), sum(compute)) as compute, sum((compute > mean) * mean) / sum(mean) as above
	from every join (select unit, avg(compute) as mean from every group by unit) using (unit)
	group by phase, device_id
), most as (
	select phase, max(compute) as most, avg(compute) as mean, count(*) as n, device_id, above from own group by phase
)
select (m.most - m.mean) / 1e9,
	printf('work is uneven%s: the GPU of rank %d computes %.0f %% more than the average of %d',
		case m.phase when '' then '' else ' in ' || m.phase end, o.rank, 100 * (m.most - m.mean) / m.mean, m.n) as message,
	printf('select t.device_id, t.window, t.ns / 1e9 as s from device_time t where t.run_id = %d and t.window in (%Q, %Q) '
		|| 'and t.state = ''compute'' order by 3 desc', r.run_id, case m.phase when '' then 'run' else 'phase:' || m.phase end,
		'launched:' || m.phase) as evidence,
	'give the ranks equal parts: buckets by length, equal tokens per batch, or pipeline stages of equal cost' as advice,
	'medium: the longest computing of a GPU, less the average' as confidence
from finding_run r, finding_pressed p, most m join device_owner o on o.device_id = m.device_id
where m.n > 1 and m.mean > 0 and m.above >= 0.75 and m.mean < 0.85 * m.most
	and (p.share < 0.1 or m.mean * m.n - m.most < 0.3 * (m.n - 1) * m.most)
	and not exists (select 1 from straggler where run_id = r.run_id and rank = o.rank)
	and m.phase not in (select phase from finding_serial);
