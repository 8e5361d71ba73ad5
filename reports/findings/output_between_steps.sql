-- The main threads write, while nothing is computed, and not in a phase of checkpoints, which have
-- a rule of their own. Of their I/O, less what they read, counts as much as a rank spent on writing
-- files: opening, closing and syncing them, too.
with file as (
	select f.path, sum(f.bytes_written) as bytes, sum(f.writes) as writes from io_file f
		join process p on p.id = f.process_id
	where f.run_id = :run and p.rank is not null and f.bytes_written > 0
	group by f.path order by sum(f.write_ns + f.meta_ns) desc limit 1
)
select i.wrote / 1e9,
	printf('ranks write between their computing: %.0f %% of the run in I/O of the '
		|| 'main threads that write, '
		|| 'most to %s (%.1f MB in %,d %s)', i.wrote / 1e7 / r.seconds_all, f.path,
		f.bytes / 1e6, f.writes,
		case f.writes when 1 then 'write' else 'writes' end) as message,
	printf('select p.rank, f.path, f.writes, f.bytes_written, (f.write_ns + '
			|| 'f.meta_ns) / 1e9 as s from io_file f join process p on p.id = '
			|| 'f.process_id '
		|| 'where f.run_id = %d and p.rank is not null and '
			|| 'f.bytes_written > 0 order by s desc', r.run_id) as evidence,
	'write less often, in a thread beside the computing, or to a '
		|| 'faster file system: a local disk first' as advice,
	'medium: an upper bound, the main threads'' I/O step by step, as '
		|| 'if nothing were written' as confidence
from finding_io i, file f, finding_run r;
