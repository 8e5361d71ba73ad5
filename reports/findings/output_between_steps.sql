-- The main threads write, while nothing is computed, and not in a phase of checkpoints, which have
-- a rule of their own. Of their I/O, less what they read, counts as much as a rank spent on writing
-- files: opening, closing and syncing them, too.
with file as (
	select f.path, sum(f.bytes_written) as bytes, sum(f.writes) as writes from io_file f
		join process p on p.id = f.process_id
	where f.run_id = :run and p.rank is not null and f.bytes_written > 0
	group by f.path order by sum(f.write_ns + f.meta_ns) desc limit 1
)
select i.wrote / 1e9 as seconds, i.wrote / 1e7 / r.seconds_all as percent, f.path,
	f.bytes / 1e6 as mb, f.writes
from finding_io i, file f, finding_run r
where not exists (select 1 from temp.found where rule = 'rank_checkpoints');
