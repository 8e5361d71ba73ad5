-- Statements of tacho explain, on demand: which kinds of files the time of reading and writing
-- went to.
with by_class as (
	select class, count(distinct path) as files, sum(bytes_read) as got, sum(bytes_written)
		as put,
		sum(read_ns) / 1e9 as reading, sum(write_ns) / 1e9 as writing, sum(meta_ns) /
			1e9 as meta
	from io_file where run_id = :run group by class order by sum(ns) desc
)
select 'storage' as "Key", 2 as "Level|count",
	(select sum(reading + writing + meta) from by_class) as "Seconds|number",
	'in calls on files, summed over threads: ' || group_concat(printf('%s (%,d files) %.2f '
		|| 's reading '
		|| '%.3g MB, %.2f s writing %.3g MB, %.2f s opening and the like', class,
			files, reading,
		got / 1e6, writing, put / 1e6, meta), '; ') as "Sentence",
	printf('select class, path, sum(bytes_read) as got, sum(bytes_written) as put, sum(ns) '
		|| '/ 1e9 as '
		|| 's from io_file where run_id = %d group by class, path order by s desc',
			:run) as "Query"
from by_class having count(*) > 0;
