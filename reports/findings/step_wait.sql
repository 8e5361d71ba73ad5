-- Ranks wait in steps, in calls that are no communication, sleep or input: for a program that they
-- start, a server, a lock, a file. The seconds are those of the step model (table cause).
select c.saves_ns / 1e9 as seconds, c.ranks, c.nranks, c.place as line, c.steps,
	c.first_step, c.last_step,
	(select n from finding_steps) as of_steps,
	c.own_ns / 1e6 / c.steps as each_ms, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before,
	case when c.nranks = 1 then cast(c.ranks as integer) end as rank,
	case when c.part <> 'wait' then c.part end as wait,
	case when c.part <> 'wait' then c.part end as advice,
	case c.part when 'io' then 'own/io' when 'readers' then 'own/wait/readers'
		else 'own/wait/other' end as of
from cause c
where c.run_id = :run and c.part in ('wait', 'readers', 'io') and c.place is not null
	and c.saves_ns >= :little * (c.takes_ns + c.saves_ns);
