-- Ranks sleep outside of steps, before the first or after the last one, or in a run without steps,
-- and the run would be shorter without. The seconds are those of the step model (table cause). A
-- rank whose last sleep ended after its last step sleeps there.
with ends as (
	select p.rank, (select max(s.end_ns) from step s
			where s.run_id = :run and s.process_id = p.id) as end_ns,
		(select max(m.value) from metric m where m.run_id = :run and m."window" = 'run'
			and m.model = 'host' and m.name = 'slept_until'
			and m.subject glob 'rank:' || p.rank || ':*') as until
	from process p where p.run_id = :run and p.rank is not null
)
select c.saves_ns / 1e9 as seconds, c.ranks, c.nranks, c.place as line, c.own_ns / 1e9 as sleeps,
	c.takes_ns / 1e9 as takes, (c.takes_ns + c.saves_ns) / 1e9 as before,
	(select case when max(e.end_ns) is null then 'run' when max(e.until) > max(e.end_ns)
			then 'after' else 'before' end
		from ends e where c.nranks = 1 and e.rank = cast(c.ranks as integer)
			or c.nranks > 1) as part,
	case when c.nranks = 1 then cast(c.ranks as integer) end as rank
from cause c where c.run_id = :run and c.part = 'sleep_outside';
