-- Ranks sleep in steps, for a time that the program gives, and the steps would be shorter without.
-- The seconds are those of the step model (table cause), in which no second counts twice.
select c.saves_ns / 1e9 as seconds, c.ranks, c.nranks, c.place as line, c.steps,
	c.first_step, c.last_step,
	(select n from finding_steps) as of_steps,
	printf(iif(c.own_ns < 1e8 * c.steps, '%.3g ms', '%.3g s'), c.own_ns / c.steps
		/ iif(c.own_ns < 1e8 * c.steps, 1e6, 1e9)) as each, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before,
	case when c.nranks = 1 then cast(c.ranks as integer) end as rank
from cause c where c.run_id = :run and c.part = 'sleep';
