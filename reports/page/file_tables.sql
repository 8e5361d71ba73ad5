-- For the files' queries, executed before them: the temporary table `file_use`, a row per file and
-- kind, which is its class, or `system` of what runtimes look up.
create temp table file_use as
select path, case when class = 'other'
		and (path like '/sys/%' or path like '/proc/%' or path like '/dev/%') then 'system'
		else class end as kind,
	count(*) as processes, sum(ns) as ns, sum(meta_ns) as meta_ns, sum(opens) as opens,
	sum(reads) as reads, sum(writes) as writes,
	sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written,
	min(min_access) as min_access, max(max_access) as max_access,
	sum(sequential * (reads + writes))
		/ nullif(sum(case when sequential is not null then reads + writes end),
			0) as sequential
from io_file where run_id = :run group by path, class;
