-- One rank has more to do than the others before its first or after its last step, or in a run
-- without steps, in computing, reading, imports. The seconds are those of the step model (table
-- cause). Ranks do not start at one moment, and where they lack cores their starts differ more.
select c.saves_ns / 1e9 as seconds, c.ranks,
	c.own_ns / 1e9 * r.nranks / (r.nranks - 1) as more, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before, cast(c.ranks as integer) as rank,
	case when not exists (select 1 from step where run_id = :run) then 'run'
		when c.first_step = -1 then 'after' else 'before' end as part, k.text as line
from cause c join finding_run r join finding_core o join noise_constant z
	left join finding_line k on k.rank = cast(c.ranks as integer) and k.thread = 'main'
		and k.ns between z.most * c.own_ns and c.own_ns / z.most
where c.run_id = :run and c.part = 'more_outside' and c.saves_ns >= :outside_s * 1e9
	and c.saves_ns >= :little * 1e9 * r.whole
	and c.saves_ns >= o.without * (c.takes_ns + c.saves_ns);
