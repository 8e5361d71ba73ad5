-- All wait while a checkpoint is written: the phase's time, but for a copy in memory at 2 GB/s.
-- Writing into the page cache is work of a core: in the background it saves nothing where all have
-- a rank; there it is the time of all that are not written.
with phase_time as (
	select sum(ns) as ns, sum(instances) as n from finding_phase
	where name like '%checkpoint%' or name like '%ckpt%'
), file as (
	select sum(bytes_written) as bytes, sum(ns) as ns from io_file
	where run_id = :run and class = 'checkpoint'
), core as (
	select coalesce(sum(cast(e.value as integer)) <= r.nranks, 0) as all_taken
	from finding_run r left join environment e on e.run_id = r.run_id and e.scope like 'node:%'
		and e.key = 'cores'
)
select p.ns / 1e9 - case when c.all_taken then 0
		else coalesce(f.bytes, 0) / :memory_rate end as seconds,
	p.ns / 1e9 as waited, p.n, case when f.bytes > 0 then f.bytes / 1e9 end as gb,
	case when c.all_taken then 'taken' end as advice,
	case when c.all_taken then 'taken' end as confidence
from phase_time p, file f, core c, finding_run r where p.n > 0;
