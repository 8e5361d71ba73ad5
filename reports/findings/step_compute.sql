-- One rank computes longer than the others in steps, on the host or its devices. The seconds are
-- those of the step model (table cause): with as much as the lower median of the others in each
-- step. Where ranks lack cores that comes and goes, and so it does in few steps.
select c.saves_ns / 1e9 as seconds, c.ranks, c.steps, c.first_step, c.last_step, f.n as of_steps,
	printf(iif(c.own_ns < 1e8 * c.steps, '%.3g ms', '%.3g s'), c.own_ns / c.steps
		/ iif(c.own_ns < 1e8 * c.steps, 1e6, 1e9)) as each, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before, cast(c.ranks as integer) as rank, k.text as line
from cause c join finding_steps f join finding_core o join noise_constant z
	left join finding_line k on k.rank = cast(c.ranks as integer) and k.thread = 'main'
		and k.ns >= z.most * c.own_ns
where c.run_id = :run and c.part = 'compute' and c.nranks = 1
	and c.saves_ns >= max(:some, o.without) * (c.takes_ns + c.saves_ns)
	and c.steps >= :most * f.n;
