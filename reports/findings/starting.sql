-- What children that read for a rank need from their start until their first sample: interpreter,
-- imports, opening the data set; no more than they were busy. Those that start together, as in an
-- epoch, keep their rank waiting once, until the first of them reads. `times`: how often that was;
-- `again`: all but the first time; `ended`: what the rank waited until those before had ended
-- (their pipe hung up), but for the longest wait, as the last may be.
create temp table finding_starting as
with child as (
	select f.rank, p.start_ns, p.start_ns + min(p.first_sample_ns - p.start_ns, r.io + r.useful)
		as end_ns
	from process p join finding_family f on f.process_id = p.id
		join location l on l.run_id = p.run_id and l.process_id = p.id and l.is_main
		join finding_reader r on r.id = l.id
	where p.run_id = :run and p.rank is null and p.first_sample_ns > p.start_ns
), ordered as (
	select *, max(end_ns) over (partition by rank order by start_ns, end_ns
			rows between unbounded preceding and 1 preceding) as before
	from child
), generation as (
	select rank, n, min(end_ns) - min(start_ns) as ns from (
		select *, sum(before is null or start_ns > before) over (partition by rank
				order by start_ns, end_ns) as n
		from ordered)
	group by rank, n
), ended as (
	select p.rank, c.total_ns - c.max_ns as ns from call c join process p on p.id = c.process_id
	where c.run_id = :run and c.name = 'poll (hung up)' and p.rank is not null
), by_rank as (
	select g.rank, count(*) as times, sum(g.ns) as ns,
		sum(case when n > 1 then g.ns else 0 end) as again, coalesce(e.ns, 0) as ended
	from generation g left join ended e on e.rank = g.rank group by g.rank
)
select min(times) as times, min(ns) as ns, min(again) as again, min(ended) as ended from by_rank
having count(*) > 0;
