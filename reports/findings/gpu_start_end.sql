-- GPUs without work before their first and after their last activity: what an average one has of
-- it, less what the rules of the hosts' start and end have said already. Of a run that was cut off
-- nobody knows what would have come after its last activity. That of a short program is nobody's
-- trouble, so it must be long by itself, too.
with least_s(value) as (
	values (:start_end_s)	-- below, nobody would change a start for it
), span as (	-- counters may be read before
	select coalesce(min(start_ns), 0) / 1e9 as begin from process where run_id = :run
), ends as (
	select avg(max(0, u.first / 1e9 - s.begin)) as before,
		avg(case when not n.cut then max(0, s.begin + r.whole - u.last / 1e9) end)
			as after, count(*) as gpus
	from finding_worked u join span s join finding_run r join run n on n.id = r.run_id
), sums as (
	select *, before + coalesce(after, 0) as both from ends
), said as (
	select total(seconds) as seconds from temp.found
	where rule in ('mpi_start_end', 'outside_more', 'outside_sleep', 'input_starting')
)
select e.both - s.seconds as seconds, e.before, e.after, 100 * e.both / r.whole as percent,
	case when e.before >= coalesce(e.after, 0) then 'start' else 'end' end as advice
from sums e join said s join finding_run r join least_s l
where e.gpus > 0 and e.both - s.seconds >= l.value and e.both >= :some * r.whole;
