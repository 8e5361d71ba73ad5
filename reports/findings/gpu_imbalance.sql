-- One GPU computes more than the average of them, in the steps as a whole and in most; where a rank is slow
-- for a time that rank is the finding.
with part as (
	select device_id, compute > avg(compute) over (partition by unit) as above from (
		select unit, device_id, sum(case when state = 'compute' then ns else 0 end) as compute
		from finding_device where unit like 'step:%' group by unit, device_id)
), often as (
	select device_id, avg(above) as above from part group by device_id
), total as (
	select device_id, sum(case when state = 'compute' then ns else 0 end) as compute from finding_device group by device_id
), gpu as (
	select t.device_id, o.above, t.compute,
		(select min(p.rank) from process_device x join process p on p.id = x.process_id where x.device_id = t.device_id) as rank
	from total t left join often o on o.device_id = t.device_id
), most as (
	select max(compute) as most, avg(compute) as mean, count(*) as n, rank, above, max(compute) from gpu
)
select (m.most - m.mean) / 1e9,
	printf('work is uneven: the GPU of rank %d computes %.0f %% more than the average of %d', m.rank, 100 * (m.most - m.mean) / m.mean, m.n) as message,
	printf('select t.device_id, t.ns / 1e9 as s from device_time t where t.run_id = %d and t.window = ''run'' '
		|| 'and t.state = ''compute'' order by 2 desc', r.run_id) as evidence,
	'give the ranks equal parts: buckets by length, equal tokens per batch, or pipeline stages of equal cost' as advice,
	'medium: the longest computing of a GPU, less the average' as confidence
from most m, finding_run r
where m.n > 1 and m.mean > 0 and coalesce(m.above, 1) >= 0.75 and m.mean < 0.85 * m.most
	and not exists (select 1 from straggler where run_id = r.run_id and rank = m.rank)
	and not exists (select 1 from finding_serial s join finding_unit u on u.phase = s.phase);
