-- No reader works ahead: the main threads read themselves, while nothing is computed. Of their I/O counts as much as a
-- rank spent on what it read more than it wrote: files, pipes, timers; those of the system, read when a program begins,
-- do not count.
with own as (
	select sum(f.ns) as ns from io_file f join process p on p.id = f.process_id
	where f.run_id = (select run_id from finding_run) and p.rank is not null and f.bytes_read > f.bytes_written
		and (f.class <> 'other' or f.bytes_written > 0 or f.path not glob '/*') group by p.id
), lost as (
	select min(sum(io), (select max(ns) from own)) / 1e9 as seconds from finding_input
)
select l.seconds, printf('ranks read between their computing: %.0f %% of the run in I/O of the main threads that read, '
		|| 'and nobody reads ahead', 100 * l.seconds / r.seconds_all) as message,
	printf('select p.rank, h.window, h.ns / 1e9 as s from host_time h join process p on p.id = h.process_id '
		|| 'where h.run_id = %d and h.state = ''io'' and (h.window = ''run'' or h.window like ''phase:%%'')', r.run_id) as evidence,
	'readers in threads or processes of their own, which work ahead' as advice,
	'high: the main threads'' I/O, step by step' as confidence
from lost l, finding_run r where not exists (select 1 from finding_reader);
