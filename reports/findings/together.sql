-- Of each finding the seconds by phase and kind.
create temp table finding_claim as
with total as (
	select n, sum(w) as w from finding_weight group by n having sum(w) > 0
)
select f.n, f.account, f.who, f.during, w.phase, w.kind, f.seconds * w.w / t.w as seconds
from finding_ranked f join total t on t.n = f.n join finding_weight w on w.n = f.n and w.w > 0
union all
select n, account, who, during, phase, of, seconds from finding_ranked
where n not in (select n from total) and rule <> 'quality';

-- How long phases of two names lie in each other, of a rank that findings are about or of the
-- first: their sum less what they cover together. Of steps before the first one there are none.
create temp table finding_together as
with inside as materialized (
	select f.process_id, f.name, f.start_ns, f.end_ns from phase f
	where f.run_id = :run and f.name in (select phase from finding_claim)
		and f.process_id in (select min(id) from process where run_id = :run
				and rank is not null
			union select id from process where run_id = :run and rank in (select who
				from finding_ranked))
		and (select count(distinct phase) from finding_claim) > 1
	union all
	select p.id, w.phase, f.from_ns, f.till_ns from finding_ranked f
		join finding_weight w on w.n = f.n
		join process p on p.run_id = :run and p.rank = f.who where f.till_ns is not null
), name as (
	select distinct name from inside
), pair as (
	select a.name as phase, b.name as other from name a join name b on b.name < a.name
	where '(start)' not in (a.name, b.name) or not exists (select 1 from finding_part
			where steps > 0 and phase in (a.name, b.name))
), marked as (
	select p.phase, p.other, i.process_id, i.start_ns, i.end_ns,
		max(i.end_ns) over (partition by p.phase, p.other, i.process_id
			order by i.start_ns, i.end_ns desc
			rows between unbounded preceding and 1 preceding) as before
	from pair p join inside i on i.name in (p.phase, p.other)
), common as (
	select phase, other, sum(end_ns - start_ns - max(0, end_ns
			- max(start_ns, coalesce(before, start_ns)))) as ns
	from marked group by phase, other, process_id
)
select phase, other, max(ns) as ns from common group by phase, other
union all select other, phase, max(ns) from common group by phase, other;
