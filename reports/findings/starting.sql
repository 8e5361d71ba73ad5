-- What children that read for a rank need from their start until their first sample: interpreter,
-- imports, opening the data set; no more than they were busy. Those that start together, as in an
-- epoch, keep their rank waiting once, until the first of them reads. `times`: how often that was;
-- `again`: all but the first time. No row where it was once at most: who reads from then on may
-- have
-- been waiting for its turn.
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
), by_rank as (
	select rank, count(*) as times, sum(ns) as ns,
		sum(case when n > 1 then ns else 0 end) as again
	from generation group by rank
)
select min(times) as times, min(ns) as ns, min(again) as again from by_rank having min(times) > 1;
