-- What makes the findings unsure; nothing is saved by it.
with said(kind, n, percent, hosts, ms, names) as (
	select 'cut', null, null, null, null, null from run where id = :run and cut
	union all
	select 'lost', sum(l.count), 100.0 * sum(l.count) / nullif(r.nevents + sum(l.count), 0),
		null, null, null
	from loss l join run r on r.id = l.run_id where r.id = :run and l.count > 0
	having sum(l.count) > 0
	union all
	select 'untied', count(*), null, group_concat(hostname, ', '), null,
		(select min(name) from checks
			where run_id = :run and name = 'causality' and not ok)
	from node where run_id = :run and clock_residual_ns is null
		and (select count(*) from node where run_id = :run) > 1 having count(*) > 0
	union all
	select 'loose', count(*), null, group_concat(hostname, ', '),
		max(clock_residual_ns) / 1e6, null
	from node where run_id = :run and clock_residual_ns > 0
		and clock_residual_ns > :little * coalesce((select avg(end_ns - start_ns) from step
			where run_id = :run and process_id = (select min(id) from process
				where run_id = :run and rank is not null)), :clock_ns)
	having count(*) > 0
	union all
	select 'failed', count(*), null, null, null,
		group_concat(distinct replace(name, '_', ' '))
	from checks where run_id = :run and not ok having count(*) > 0
)
select 0.0 as seconds, kind as message, kind as evidence, kind as advice, n, percent, hosts, ms,
	names, case kind when 'untied' then names end as wrong
from said;
