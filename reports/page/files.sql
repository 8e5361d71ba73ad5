-- needs: file_tables
-- Files by time, over all processes; what runtimes look up in the system comes last.
select path as "File|path", kind as "Class", processes as "Processes|count",
	ns as "Time|ns|in calls on the file, all processes",
	opens as "Opens|count", reads as "Reads|count", bytes_read as "Read|bytes",
	writes as "Writes|count",
	bytes_written as "Written|bytes", min_access as "Smallest|bytes|access",
	max_access as "Largest|bytes|access",
	sequential as "Sequential|percent|share of accesses that begin where the last one ended",
	'too few accesses by any process' as "*|why"
from file_use order by kind = 'system', ns desc limit 1000;
