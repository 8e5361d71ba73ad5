-- Files by time, over all processes; what runtimes look up in the system comes last.
with file as (
	select *, case when class = 'other' and (path like '/sys/%' or path like '/proc/%' or path like '/dev/%') then 'system' else class end as kind
	from io_file where run_id = :run
)
select path as "File|path", kind as "Class", count(distinct process_id) as "Processes|count", sum(ns) as "Time|ns|in calls on the file, all processes",
	sum(opens) as "Opens|count", sum(reads) as "Reads|count", sum(bytes_read) as "Read|bytes", sum(writes) as "Writes|count",
	sum(bytes_written) as "Written|bytes", min(min_access) as "Smallest|bytes|access", max(max_access) as "Largest|bytes|access",
	sum(sequential * (reads + writes)) / nullif(sum(case when sequential is not null then reads + writes end), 0)
		as "Sequential|percent|share of accesses that begin where the last one ended",
	'too few accesses by any process' as "*|why"
from file group by path, kind order by kind = 'system', sum(ns) desc limit 200;
