-- Ranks wait in steps, in calls that are no communication, sleep or input: for a program that
-- they start, a server, a lock, a file; or for data-loader workers of which no other rule knows
-- what these do. The seconds are those of the step model (table cause). Waits without a place are
-- for a rank's own threads, whose time is no loss by itself; but in semaphores they are for a
-- lock that these hold, or a queue that they leave empty (finding_lock).
with wait as (
	select c.*, case when c.part <> 'wait' then c.part when c.place is null then 'lock' end
		as what
	from cause c where c.run_id = :run and c.part in ('wait', 'readers', 'io')
)
select c.saves_ns / 1e9 as seconds, c.ranks, c.nranks, c.place as line, c.steps,
	c.first_step, c.last_step,
	(select n from finding_steps) as of_steps,
	printf(iif(c.own_ns < 1e9 * c.steps, '%.3g ms', '%.3g s'), c.own_ns / c.steps
		/ iif(c.own_ns < 1e9 * c.steps, 1e6, 1e9)) as each, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before,
	case when c.nranks = 1 then cast(c.ranks as integer) end as rank,
	c.what as wait, c.what as advice, case c.what when 'io' then 'own/io'
		when 'readers' then 'own/wait/readers' when 'lock' then 'own/wait/lock'
		else 'own/wait/other' end as of
from wait c join noise_constant z
where c.saves_ns >= :little * (c.takes_ns + c.saves_ns) and (c.place is not null
	or c.what = 'readers' or c.what = 'lock' and c.nranks <= (select count(*)
		from finding_lock l where l.ns >= z.most * c.own_ns));
