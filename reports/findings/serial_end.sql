-- The last rank comes to MPI_Finalize, in which it is the shortest, later than the others, who wait
-- for it there: no collective tells. Shared among all it would be through earlier by the mean of
-- what they wait. All leave it together, when the first of them ends; some work on after it. What
-- rules of imbalance, phases and checkpoints report the same rank, and what it does when the
-- first is there, is not reported again. Little is an end like any other.
with ends as (
	select p.rank, p.id, c.total_ns as ns, (select min(l.end_ns) from location l
			join process o on o.id = l.process_id
		where l.run_id = :run and l.is_main and o.rank is not null) - c.total_ns as since
	from process p join call c on c.run_id = p.run_id and c.process_id = p.id
		and c.name = 'MPI_Finalize'
	where p.run_id = :run and p.rank is not null
), last as (
	select rank, id, min(ns) as ns, since from ends
), waited as (
	select l.rank, l.id, l.since, avg(e.ns) - l.ns as mean, min(e.since) as first
	from ends e, last l
), did as (
	select f.name, sum(min(f.end_ns, w.since) - max(f.start_ns, w.first)) as ns
	from waited w join phase f on f.process_id = w.id and f.start_ns < w.since
		and f.end_ns > w.first
	where f.run_id = :run group by f.name
), reported as (
	select u.phase from finding_uneven u join waited w on w.rank = u.rank
	where u.most - u.mean >= :most * w.mean
		and (u.phase = '' or u.phase in (select name from did))
		and exists (select 1 from temp.found where rule = 'load_imbalance')
	union all
	select s.phase from finding_serial s join waited w on w.rank = s.rank join finding_run r
	where s.ns * (1 - 1.0 / r.nranks) >= :most * w.mean and s.phase in (select name from did)
	union all
	select d.name from did d, waited w where d.ns >= :most * (w.since - w.first)
		and (d.name like '%checkpoint%' or d.name like '%ckpt%')
		and exists (select 1 from temp.found where rule = 'blocking_checkpoint')
)
select w.mean / 1e9 as seconds, w.rank, (w.since - w.first) / 1e9 as late,
	w.first as from_ns, w.since as till_ns,
	(select name from did where ns >= :most * (w.since - w.first)
		order by ns desc limit 1) as phase
from waited w, finding_run r
where r.nranks > 1 and w.since - w.first >= :start_s * 1e9
	and not exists (select 1 from reported);
