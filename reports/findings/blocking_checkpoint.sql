-- All wait while a checkpoint is written: the phase's time, but for a copy in memory at 2 GB/s.
with phase_time as (
	select sum(ns) as ns, sum(instances) as n from finding_phase where name like '%checkpoint%' or name like '%ckpt%'
), file as (
	select sum(bytes_written) as bytes, sum(ns) as ns from io_file
	where run_id = (select run_id from finding_run) and class = 'checkpoint'
)
select p.ns / 1e9 - coalesce(f.bytes, 0) / 2e9,
	printf('all ranks wait %.3g s for %d %s%s', p.ns / 1e9, p.n, case p.n when 1 then 'checkpoint' else 'checkpoints' end,
		case when f.bytes > 0 then printf(': %.2f GB written', f.bytes / 1e9) else '' end) as message,
	printf('select name, instance, (max(end_ns) - min(start_ns)) / 1e9 as s from phase '
		|| 'where run_id = %d and name like ''%%checkpoint%%'' group by name, instance', r.run_id) as evidence,
	'copy, and write in the background; or less often, or to a local disk first' as advice,
	'high: the time of the phase, less a copy of what was written' as confidence
from phase_time p, file f, finding_run r where p.n > 0;
