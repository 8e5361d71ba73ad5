-- Ranks sleep outside of steps, before the first or after the last one, or in a run without steps,
-- and the run would be shorter without. The seconds are those of the step model (table cause).
select c.saves_ns / 1e9 as seconds, c.ranks, c.nranks, c.place as line, c.own_ns / 1e9 as sleeps,
	c.takes_ns / 1e9 as takes, (c.takes_ns + c.saves_ns) / 1e9 as before,
	case when not exists (select 1 from step where run_id = :run) then 'run'
		when c.first_step = -1 then 'after' else 'before' end as part,
	case when c.nranks = 1 then cast(c.ranks as integer) end as rank
from cause c where c.run_id = :run and c.part = 'sleep_outside';
