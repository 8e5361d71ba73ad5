-- One rank has more to do than the average in a phase as a whole (of GPUs gpu_imbalance tells), and no rank
-- that is slow for a time explains it. It has more in most steps; in a phase without steps the others wait
-- for it so long in half of its times (the lower median): noise goes both ways. Where ranks lack cores it
-- must be more, and in phases that came once or twice more than a rank may be without a core by bad luck.
with best as (
	-- who waits for its readers has no more to do
	select o.phase, o.rank, o.above, b.most, b.mean, b.ranks, o.work - b.work as more
	from (select phase, max(outside) as most, avg(outside) as mean, avg(work) as work, count(*) as ranks from finding_rank group by phase) b
		join finding_rank o on o.phase = b.phase and o.outside = b.most
	group by o.phase
), uneven as (
	select b.* from best b, finding_core c
	where b.ranks > 1 and b.above >= 0.75 and b.more >= (b.most - b.mean) / 2 and b.phase not like '%checkpoint%' and b.phase not in ('setup', 'init')
		and (b.mean * b.ranks - b.most) / (b.ranks - 1) < b.most * max(0.75 - c.without, 0.4)
), instance as (
	select name, instance, min(start_ns) as since, max(end_ns) as till from phase
	where run_id = (select run_id from finding_run) and name in (select phase from uneven)
		and name not in (select phase from finding_part where steps > 0)
	group by name, instance
), placed as (	-- a collective is of the last instance that had begun when it ended
	select phase, t, first_ns, wait, max(instance) over (partition by phase order by t, instance is not null
		rows unbounded preceding) as instance
	from (
		select name as phase, since as t, instance, null as first_ns, null as wait from instance
		union all
		select u.phase, c.end_ns, null, c.first_ns,
			case when c.last_rank = u.rank then c.last_ns - c.first_ns else c.first_ns - c.last_ns end
		from uneven u cross join collective c
		where c.run_id = (select run_id from finding_run) and u.phase in (select name from instance))
), waited as (
	select p.phase, p.instance, sum(p.wait) as ns
	from placed p join instance i on i.name = p.phase and i.instance = p.instance
	where p.first_ns < i.till
	group by p.phase, p.instance
), typical as (
	select phase, ns * many as ns, many from (
		select phase, ns, row_number() over (partition by phase order by ns) as nth, count(*) over (partition by phase) as many
		from waited)
	where nth = (many + 1) / 2
)
select min(b.most - b.mean, coalesce(t.ns, b.most - b.mean)) / 1e9,
	printf('work is uneven%s: rank %d has %.0f %% more than the average of %d ranks',
		case b.phase when '' then '' else ' in ' || b.phase end, b.rank, 100.0 * (b.most - b.mean) / b.mean, b.ranks) as message,
	printf('select p.rank, sum(h.ns) / 1e9 as s from host_time h join process p on p.id = h.process_id '
		|| 'where h.run_id = %d and h.window = %Q and h.state not in (''mpi'', ''absent'') group by p.rank order by 2 desc',
		r.run_id, case b.phase when '' then 'run' else 'phase:' || b.phase end) as evidence,
	'give the ranks equal parts: samples of equal cost, buckets by length, or smaller parts dealt out on demand' as advice,
	'medium: the longest time of a rank outside of MPI, less the average' as confidence
from uneven b join finding_run r join finding_core c left join typical t on t.phase = b.phase
where (coalesce(t.many, 3) >= 3 or min(b.most - b.mean, t.ns) >= 2e9 * c.without) and not exists (select 1 from finding_gpu)
	and b.phase not in (select phase from finding_serial)
	and not exists (select 1 from straggler g join process p on p.run_id = g.run_id and p.rank = g.rank
		join step s on s.run_id = g.run_id and s.process_id = p.id and s.n = g.since_step
		left join phase f on f.id = s.phase_id where g.run_id = r.run_id and coalesce(f.name, '') = b.phase);
