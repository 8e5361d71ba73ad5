-- Latency of many opens or small reads, not bandwidth: the part of the exposed I/O that the data
-- set's own calls cause, but for as many calls as blocks of 1 MiB need. Files of which an open is
-- followed by few reads are samples of their own; each costs an open, too.
with all_io as (
	select coalesce((select sum(io) from finding_reader),
		(select sum(t.ns) from location_time t join location l on l.id = t.location_id
			where t.run_id = :run and t.state = 'io' and l.is_main)) as ns
), exposed as (
	select case when exists (select 1 from finding_reader)
		then (select sum(starved) from finding_input)
			* (select 1.0 * sum(io) / sum(io + useful) from finding_reader)
		else (select sum(io) from finding_input) end / 1e9 as seconds
), saved as (
	select f.*, e.seconds * min(1.0, 1.0 * f.ns / a.ns) as exposed,
		1 - min(1.0, 1.0 * f.bytes / :block / (f.opens + f.reads)) as part
	from finding_data f, all_io a, exposed e where f.reads + f.opens >= :reads_least
		and f.bytes < :small_read * (f.reads + f.opens)
)
select f.exposed * f.part as seconds, f.reads, f.bytes / 1e3 / f.reads as kb, f.opens,
	(select count(distinct path) from io_file
		where run_id = :run and class = 'dataset') as files,
	100 * f.exposed / r.seconds_all as percent,
	case when f.reads <= :file_reads * f.opens then 'files' else 'reads' end as advice
from saved f, finding_run r where f.exposed * f.part >= r.least;
