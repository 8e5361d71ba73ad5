-- Phases that only one rank of those is in: the others wait for it while they are in no phase, and
-- no longer than they wait there.
create temp table finding_unseen_phase as
select f.process_id, f.start_ns, f.end_ns from finding_unseen u join phase f on f.run_id = u.run_id
where exists (select 1 from temp.finding_alone);
create index temp.finding_unseen_phases on finding_unseen_phase(process_id, start_ns, end_ns);
create temp table finding_unseen_alone as
with alone as (
	select phase, rank, t as start_ns, lead(t) over (partition by phase, rank
			order by t) as end_ns, opens
	from temp.finding_alone join finding_unseen
), other as (
	select p.id, p.rank, (select sum(case "window" when 'run' then ns else -ns end)
			from host_time h where h.run_id = p.run_id
			and h.process_id = p.id and h.state = 'wait'
			and (h."window" = 'run' or h."window" between 'phase:' and 'phase;'))
				as waits
	from process p join finding_unseen u on u.run_id = p.run_id
	where p.rank is not null and exists (select 1 from finding_unseen_phase f
			where f.process_id = p.id)
), between_phases as (
	select a.phase, a.rank, o.rank as other, o.waits, sum(a.end_ns - a.start_ns - coalesce((
		select sum(min(f.end_ns, a.end_ns) - max(f.start_ns, a.start_ns))
		from finding_unseen_phase f
		where f.process_id = o.id and f.start_ns < a.end_ns and f.end_ns > a.start_ns), 0))
			as ns
	from alone a join other o on o.rank <> a.rank where a.opens > 0 and a.end_ns is not null
	group by a.phase, a.rank, o.rank
)
select phase, rank, min(min(ns, waits)) as ns from between_phases group by phase, rank
having min(min(ns, waits)) > 0;
