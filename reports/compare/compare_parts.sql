-- Parts of the runs whose time changed by more than 1 % of the base's: phases, from the first rank
-- in to the last out, and what lies in none; without phases what comes before the last rank's first
-- step and after the last step. `share` has one of them where the runs have steps, and of the
-- others nothing does.
with times as (
	select p.side, f.name, f.instance, min(f.start_ns) as start_ns, max(f.end_ns) as end_ns
	from pair p join phase f on f.run_id = p.run_id join process o on o.id = f.process_id
	where o.rank is not null group by p.side, f.name, f.instance
), reached as (	-- phases may lie in each other, or overlap
	select side, start_ns, end_ns, max(end_ns) over (partition by side
			order by start_ns, end_ns rows between unbounded preceding and 1 preceding)
		as before
	from times
), outside as (
	select p.side, s.duration_ns
		- coalesce((select sum(max(0, end_ns - max(start_ns, coalesce(before, start_ns))))
				from reached r where r.side = p.side), 0) as ns
	from pair p join study s on s.run_id = p.run_id
), bounds as (
	select d.side, s.duration_ns, (select max(first)
			from (select min(t.start_ns) as first from step t where t.run_id = d.run_id
				group by t.process_id)) as first_ns,
		(select max(t.end_ns) from step t where t.run_id = d.run_id) as last_ns
	from side d join study s on s.run_id = d.run_id where not exists (select 1 from times)
), part(ord, name, side, ns) as (
	select min(start_ns), name, side, sum(end_ns - start_ns) from times group by side, name
	union all
	select 9e18, 'in no phase', side, ns from outside where side in (select side from times)
	union all
	select 0, 'before the first step', side, first_ns from bounds
	union all
	select 9e18, 'after the last step', side, duration_ns - last_ns from bounds
), joined as (
	select min(ord) as ord, name, max(case side when 1 then ns end) as base,
		max(case side when 2 then ns end) as new from part group by name
)
select name, base as base_ns, new as new_ns, coalesce(new, 0) - coalesce(base, 0) as difference_ns,
	case when base is null then 'new' when new is null then 'gone' end as state
from joined where abs(coalesce(new, 0) - coalesce(base, 0)) > 0.01 * (select s.duration_ns
		from pair p join study s on s.run_id = p.run_id where p.side = 1)
order by abs(difference_ns) desc, ord limit 10;
