-- needs: file_tables
-- Files by what they are for.
select kind as "Class", count(*) as "Files|count", sum(opens) as "Opens|count",
	sum(reads) as "Reads|count", sum(writes) as "Writes|count",
	1e9 * (sum(opens) + sum(reads) + sum(writes)) / (select nullif(ns, 0) from run_time
			where run_id = :run)
		as "IOPS|number|opens, reads and writes per second of the run, all processes",
	sum(bytes_read) as "Read|bytes", sum(bytes_written) as "Written|bytes",
	sum(ns) as "Time|ns|in calls on these files, all processes",
	1.0 * sum(meta_ns) / nullif(sum(ns), 0)
		as "Metadata|percent|share of that time in open, close, stat, sync",
	1.0 * sum(bytes_read) / nullif(sum(reads), 0) as "per read|bytes",
	1.0 * sum(bytes_written) / nullif(sum(writes), 0) as "per write|bytes",
	'there were none' as "*|why"
from file_use group by kind order by kind = 'system', sum(ns) desc;
