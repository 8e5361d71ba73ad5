-- Ranks sleep in steps, for a time that the program gives, and the steps would be shorter without.
-- The seconds are those of the step model (table cause), in which no second counts twice. A rank
-- that is a straggler by its sleep has a finding of slow_rank.
select c.saves_ns / 1e9 as seconds, c.ranks, c.nranks, c.place, c.steps,
	(select count(distinct n) from step where run_id = :run) as of_steps,
	c.own_ns / 1e9 / c.steps as each_s, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before,
	case when c.nranks = 1 then cast(c.ranks as integer) end as rank
from cause c, finding_run r
where c.run_id = :run and c.part = 'sleep' and not exists (select 1 from temp.found f
	where f.seconds >= r.least and f.rule = 'slow_rank'
		and instr(',' || c.ranks || ',', ',' || f.rank || ','));
