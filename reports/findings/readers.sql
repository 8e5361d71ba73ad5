-- The rank that a process belongs to: its own, or that of the next process above it that has one.
-- Workers may have been started by a child (Python's forkserver).
create temp table finding_family as
with recursive above(process_id, at) as (
	select id, id from process where run_id = :run
	union all
	select a.process_id, p.parent_id from above a join process p on p.id = a.at
	where p.rank is null and p.parent_id is not null
)
select a.process_id, p.rank from above a join process p on p.id = a.at where p.rank is not null;
create unique index temp.finding_family_process on finding_family(process_id);

-- Threads and child processes that read for a rank: not its main thread, and none that
-- communicates. Where children read the data set those that do not are none: a resource tracker, a
-- command that was run.
create temp table finding_reader as
with thread as (
	select l.id, f.rank, l.bytes_read,
		sum(case when t.state = 'io' then t.ns else 0 end) as io,
		sum(case when t.state = 'useful' then t.ns else 0 end) as useful,
		sum(case when t.state in ('mpi', 'gloo') then t.ns else 0 end) as mpi, sum(t.ns)
			as life,
		coalesce(l.start_ns, p.start_ns) as start_ns,
		coalesce(l.end_ns, p.end_ns) as end_ns,
		case when p.rank is null then exists (select 1 from io_file f
					where f.run_id = l.run_id and f.process_id = p.id
			and f.class = 'dataset' and f.bytes_read > 0) end as child_reads
	from location l join process p on p.id = l.process_id
		left join finding_family f on f.process_id = p.id
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
	where l.run_id = :run and l.bytes_read > 0
		and not (l.is_main and p.rank is not null)
	group by l.id
)
select id, rank, io, useful, life, start_ns, end_ns from thread
where rank is not null and mpi = 0
	and bytes_read >= :reader_part * (select max(bytes_read) from thread)
	and coalesce(child_reads, 1) >= (select coalesce(max(child_reads), 0) from thread);

-- All of them, and how many a rank had at the same time, for most of it: each epoch may have new
-- ones, which begin before the old ones are through.
create temp table finding_readers as
with moment as (
	select rank, start_ns as t, 1 as more from finding_reader union all select rank, end_ns, -1
	from finding_reader
), alive as (
	select rank, sum(more) over (partition by rank
			order by t, more rows unbounded preceding) as n,
		lead(t) over (partition by rank order by t, more) - t as ns
	from moment
)
select sum(io) as io, sum(useful) as useful, sum(life) as life,
	(select avg(n) from (select round(sum(1.0 * n * ns) / sum(ns)) as n from alive where n > 0
				group by rank)) as per_rank
from finding_reader;
