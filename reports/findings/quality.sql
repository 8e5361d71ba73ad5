-- What makes the findings unsure; nothing is saved by it.
with said as (
	select 'the run was cut off: findings are about what was recorded until then' as message,
		'select rank, name, end from process where run_id = %d '
			|| 'and end <> ''finished''' as evidence,
		'let a run end by itself, or limit it by its own options' as advice
	from run where id = :run and cut
	union all
	select printf('%,d %s lost, %.1f %% of all: times of what they were counted in '
			|| 'are too high', sum(l.count),
		case sum(l.count) when 1 then 'event was' else 'events were' end,
		100.0 * sum(l.count) / nullif(r.nevents + sum(l.count), 0)),
		'select * from loss where run_id = %d', 'see the reason of each loss'
	from loss l join run r on r.id = l.run_id where r.id = :run and l.count > 0
	having sum(l.count) > 0
	union all
	select printf('the %s not tied to the others: who waited for whom across nodes '
			|| 'is unsure%s', case count(*) when 1 then 'clock of ' || max(hostname)
				|| ' is'
		else 'clocks of ' || group_concat(hostname, ', ') || ' are' end,
		case when exists (select 1 from checks
					where run_id = :run and name = 'causality' and not ok)
			then ', and calls end before what they waited for: '
				|| 'slow ranks are not told' else '' end),
		'select hostname, clock_residual_ns from node where ' || 'run_id = %d',
		'synchronise the nodes'' clocks'
	from node where run_id = :run and clock_residual_ns is null
		and (select count(*) from node where run_id = :run) > 1 having count(*) > 0
	union all
	select printf('the %s of %s may be off by %.3g ms: who waited for whom across '
			|| 'nodes is unsure below that',
		case count(*) when 1 then 'clock' else 'clocks' end, group_concat(hostname, ', '),
		max(clock_residual_ns) / 1e6), 'select hostname, clock_residual_ns from node where '
			|| 'run_id = %d', 'synchronise the nodes'' clocks'
	from node where run_id = :run and clock_residual_ns > 0
		and clock_residual_ns > 0.05 * coalesce((select avg(end_ns - start_ns)
		from step where run_id = :run and process_id = (select min(id) from process
			where run_id = :run and rank is not null)), 2e7) having count(*) > 0
	union all
	select printf('%d %s of the analysis failed: %s', count(*),
			case count(*) when 1 then 'check' else 'checks' end,
			group_concat(distinct replace(name, '_', ' '))),
		'select * from checks where run_id = %d and not ok',
		'do not rely on figures of these windows'
	from checks where run_id = :run and not ok having count(*) > 0
)
select 0.0, message, printf(evidence, :run), advice, 'certain' from said;
