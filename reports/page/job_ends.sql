-- What ranks did before their first step and after their last one, from the bins of the timeline;
-- of more than 64 ranks the first. Launch: until the rank's process began, since the run had begun.
with chosen as (
	select * from process where run_id = :run and rank is not null order by rank limit 64
), ranks as (
	select p.id, p.rank, p.start_ns, p.end_ns, l.id as location_id, min(s.start_ns) as first_ns,
		max(s.end_ns) as last_ns, case when p.saved_steps >= count(*) then
			(select sum(c.total_ns) from call_path c where c.run_id = p.run_id
				and c.process_id = p.id and c.caller is null
				and c.name = 'torch:save') end as saved_ns,
		(select sum(y.ns) from python_sample y where y.run_id = p.run_id
			and y.process_id = p.id and y.location_id = l.id
			and y.state = 'import') as import_ns
	from chosen p cross join location l on l.run_id = p.run_id and l.process_id = p.id
			and l.is_main
		cross join step s on s.run_id = p.run_id and s.process_id = p.id
	group by p.id
), part(id, rank, location_id, part, from_ns, to_ns) as (
	select id, rank, location_id, 1, max(0, start_ns), first_ns from ranks
	union all
	select id, rank, location_id, 2, last_ns, end_ns from ranks where end_ns > last_ns
), seen as (
	select p.id, p.rank, p.part, t.state, sum(j.value / 1000.0 * (min(p.to_ns, (j.key + 1)
		* t.bin_ns) - max(p.from_ns, j.key * t.bin_ns))) as ns
	from part p join timeline t on t.run_id = :run and t.location_id = p.location_id
		join json_each(t.shares) j on (j.key + 1) * t.bin_ns > p.from_ns
			and j.key * t.bin_ns < p.to_ns
	group by p.id, p.part, t.state
), spent as (
	select id, rank, part, state, ns from seen
	union all
	select p.id, p.rank, p.part, 'not recorded', p.to_ns - p.from_ns - total(s.ns)
	from part p left join seen s on s.id = p.id and s.part = p.part group by p.id, p.part
	having p.to_ns - p.from_ns - total(s.ns) > 0.01 * (p.to_ns - p.from_ns)
	union all
	select id, rank, 1, 'launch', r.start_ns - t.start_ns from ranks r
		join run_time t on t.run_id = :run where r.start_ns > t.start_ns
	union all
	select id, rank, 2, 'ended', t.start_ns + t.ns - r.end_ns from ranks r
		join run_time t on t.run_id = :run where r.end_ns < t.start_ns + t.ns
), summed as (
	select part, state, sum(ns) / (select count(*) from ranks) as ns, max(ns) as most, rank
	from spent group by part, state
), whole as (
	select part, sum(ns) as ns from summed group by part
)
select iif(s.part = 1, 'before the first step', 'after the last step') as "When",
	w.ns as "Time|ns|mean over the ranks", case s.state when 'io' then 'I/O'
		when 'mpi' then 'MPI' when 'mpi_wait' then 'MPI wait' when 'cuda' then 'CUDA calls'
		else replace(s.state, '_', ' ') end
		as "State|text|of the main thread",
	1.0 * s.ns as "Per rank|ns|mean over the ranks, from bins of the timeline",
	s.most as "Most|ns|of a rank", 'rank ' || s.rank as "of",
	case when s.part = 1 and s.state = 'useful' then (select avg(import_ns) from ranks)
		end as "Imports|ns|of Python, by its stacks, within the states",
	case when s.part = 2 and s.ns = max(s.ns) over (partition by s.part)
		then (select avg(saved_ns) from ranks)
		end as "Saving|ns|torch.save after the last step, within the states",
	'of another state' as "*|why|figures are left out that no state has"
from summed s join whole w on w.part = s.part
where w.ns >= 0.05 * (select ns from run_time where run_id = :run) and s.ns >= 0.01 * w.ns
order by s.part, s.ns desc;
