-- The last rank comes to MPI_Finalize, in which it is the shortest, later than the others, who wait for it there: no
-- collective tells. Shared among all it would be through earlier by the mean of what they wait. Phases that the others were
-- in, too, and imbalance of the whole run have rules of their own.
with ends as (
	select p.rank, p.id, c.total_ns as ns, (select end_ns from location where run_id = p.run_id and process_id = p.id and is_main) - c.total_ns as since
	from process p join call c on c.run_id = p.run_id and c.process_id = p.id and c.name = 'MPI_Finalize'
	where p.run_id = (select run_id from finding_run) and p.rank is not null
), last as (
	select rank, id, min(ns) as ns, since from ends
), waited as (
	select l.rank, l.id, l.since, avg(e.ns) - l.ns as mean, (select min(since) from ends) as first from ends e, last l
), did as (	-- the phase that took most of it
	select f.name, max(sum(min(f.end_ns, w.since) - max(f.start_ns, w.first))) over () as ns
	from waited w join phase f on f.process_id = w.id and f.start_ns < w.since and f.end_ns > w.first
	where f.run_id = (select run_id from finding_run) group by f.name order by 2 desc limit 1
)
select w.mean / 1e9 as seconds,
	printf('rank %d is the last to come to MPI_Finalize, %.3g s after the first%s: the others wait for it there',
		w.rank, (w.since - w.first) / 1e9, coalesce((select ', most of them in phase ' || name from did where ns >= 0.5 * (w.since - w.first)), '')) as message,
	printf('select p.rank, c.total_ns / 1e9 as s from call c join process p on p.id = c.process_id where c.run_id = %d and c.name = ''MPI_Finalize''',
		r.run_id) as evidence,
	'share the work at the end among the ranks, or leave it to a job of its own' as advice,
	'high, if the work can be shared: what the others are longer in MPI_Finalize, the mean of all' as confidence
from waited w, finding_run r
where r.nranks > 1 and not exists (select 1 from temp.found where rule in ('serial_phase', 'load_imbalance', 'slow_rank') and seconds >= 0.5 * w.mean / 1e9);
