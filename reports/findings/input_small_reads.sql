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
		1 - min(1.0, f.bytes / 1048576.0 / (f.opens + f.reads)) as part
	from finding_data f, all_io a, exposed e where f.reads + f.opens >= 1000
		and f.bytes < 65536 * (f.reads + f.opens)
)
select f.exposed * f.part,
	printf('%,d reads of %.1f kB and %,d opens of %,d files: latency, not '
			|| 'bandwidth, is what %.0f %% of the run waits for',
		f.reads, f.bytes / 1e3 / f.reads, f.opens,
		(select count(distinct path) from io_file
				where run_id = r.run_id and class = 'dataset'),
		100 * f.exposed / r.seconds_all) as message,
	printf('select path, opens, reads, bytes_read, meta_ns / 1e9 as meta_s, '
			|| 'read_ns / 1e9 as read_s from io_file '
		|| 'where run_id = %d and class = ''dataset'' order by ns desc',
		r.run_id) as evidence,
	case when f.reads <= 8 * f.opens then 'pack samples into larger files, and keep these open'
		else 'read several samples at once, in blocks of 1 MB' end as advice,
	'medium: it counts on calls that cost the same whatever their size' as confidence
-- else paths, of which there are many, are counted in vain
from saved f, finding_run r where f.exposed * f.part >= r.least;
