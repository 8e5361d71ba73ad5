-- When the rank of a phase that no other rank is in came into it (opens 1), and left it (-1).
create temp table finding_alone as
with own as (
	select substr(h."window", 7) as phase, h.process_id from host_time h
		join process p on p.id = h.process_id
	where h.run_id = :run and h."window" between 'phase:' and 'phase;'
		and p.rank is not null and h.state <> 'absent'
	group by h."window", h.process_id
), only as (
	select f.name as phase, p.rank, f.start_ns, f.end_ns from phase f
		join process p on p.id = f.process_id
	where f.run_id = :run and p.rank is not null
		and f.name in (select phase from own group by phase having count(*) = 1)
)
select phase, rank, start_ns as t, 1 as opens from only union all select phase, rank, end_ns, -1
from only;
