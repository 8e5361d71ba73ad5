-- One rank has more to do than the average in a phase as a whole (of GPUs gpu_imbalance tells), and no rank
-- that is slow for a time explains it. It has more in most steps: noise goes both ways.
with part as (
	select phase, rank, outside, outside > avg(outside) over (partition by unit) as above from finding_unit
), own as (
	select phase, rank, sum(outside) as ns, avg(above) as above from part group by phase, rank
), best as (
	select phase, rank, above, max(ns) as most, avg(ns) as mean, count(*) as ranks from own group by phase
)
select (b.most - b.mean) / 1e9,
	printf('work is uneven%s: rank %d has %.0f %% more than the average of %d ranks',
		case b.phase when '' then '' else ' in ' || b.phase end, b.rank, 100.0 * (b.most - b.mean) / b.mean, b.ranks) as message,
	printf('select p.rank, sum(h.ns) / 1e9 as s from host_time h join process p on p.id = h.process_id '
		|| 'where h.run_id = %d and h.window = %Q and h.state not in (''mpi'', ''absent'') group by p.rank order by 2 desc',
		r.run_id, case b.phase when '' then 'run' else 'phase:' || b.phase end) as evidence,
	'give the ranks equal parts: samples of equal cost, buckets by length, or smaller parts dealt out on demand' as advice,
	'medium: the longest time of a rank outside of MPI, less the average' as confidence
from best b, finding_run r
where b.ranks > 1 and not exists (select 1 from finding_gpu) and b.mean < 0.85 * b.most and b.above >= 0.75 and b.phase not like '%checkpoint%' and b.phase not in ('setup', 'init')
	and b.phase not in (select phase from finding_serial)
	and not exists (select 1 from straggler g join process p on p.run_id = g.run_id and p.rank = g.rank
		join step s on s.run_id = g.run_id and s.process_id = p.id and s.n = g.since_step
		left join phase f on f.id = s.phase_id where g.run_id = r.run_id and coalesce(f.name, '') = b.phase);
