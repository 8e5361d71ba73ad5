-- One rank computes longer than the others in steps, on the host or its devices. The seconds are
-- those of the step model (table cause): with as much as the lower median of the others in each
-- step. Where ranks lack cores that comes and goes, and so it does in few steps, unless the rank is
-- a straggler by a test of all its steps (docs/lateness.md), and for a short time (docs/noise.md).
with late as (
	select g.rank from straggler g join noise_constant z where g.run_id = :run
	group by g.rank having sum(g.until_step - g.since_step + 1)
		>= max(z.part) * (select n from finding_steps) and max(g.confidence) >= max(z.most)
)
select c.saves_ns / 1e9 as seconds, c.ranks, c.steps, c.first_step, c.last_step, f.n as of_steps,
	printf(iif(c.own_ns < 1e8 * c.steps, '%.3g ms', '%.3g s'), c.own_ns / c.steps
		/ iif(c.own_ns < 1e8 * c.steps, 1e6, 1e9)) as each, c.takes_ns / 1e9 as takes,
	(c.takes_ns + c.saves_ns) / 1e9 as before, cast(c.ranks as integer) as rank, k.text as line,
	n.hostname
from cause c join finding_steps f join finding_core o join noise_constant z
	join process p on p.run_id = c.run_id and p.rank = cast(c.ranks as integer)
	left join node n on n.id = p.node_id
	left join finding_line k on k.rank = p.rank and k.thread = 'main'
		and k.ns >= z.most * c.own_ns
where c.run_id = :run and c.part = 'compute' and c.nranks = 1
	and c.saves_ns >= max(:some, o.without) * (c.takes_ns + c.saves_ns)
	and c.saves_ns >= z.drift * (1 - (c.takes_ns + c.saves_ns) / 1e9 / z.drift_s) * c.takes_ns
	and (c.steps >= z.most * f.n or p.rank in late);
