-- One rank computes longer than the others in steps, on the host or its devices. The seconds are
-- those of the step model (table cause): with as much as the lower median of the others in each
-- step. Where ranks lack cores that comes and goes, and so it does in few steps, unless the rank
-- is a straggler by a test of all its steps (docs/lateness.md), and for a short time
-- (docs/noise.md). In few steps it works alone: so long that no accident explains it, or in a
-- function in which the others never are.
with late as (
	select g.rank from straggler g join noise_constant z where g.run_id = :run
	group by g.rank having sum(g.until_step - g.since_step + 1)
		>= max(z.part) * (select n from finding_steps) and max(g.confidence) >= max(z.most)
), more as (
	select c.*, c.takes_ns + c.saves_ns as before_ns, p.rank, p.node_id, k.text as line,
		coalesce(k.others_ns <= :little * k.ns, 0) as is_own,
		c.steps >= z.most * f.n or p.rank in late as is_often, f.n as of_steps
	from cause c join finding_steps f join noise_constant z
		join process p on p.run_id = c.run_id and p.rank = cast(c.ranks as integer)
		left join finding_line k on k.rank = p.rank and k.thread = 'main'
			and k.ns >= z.most * c.own_ns
	where c.run_id = :run and c.part = 'compute' and c.nranks = 1
)
select m.saves_ns / 1e9 as seconds, m.ranks, m.steps, m.first_step, m.last_step, m.of_steps,
	printf(iif(m.own_ns < 1e8 * m.steps, '%.3g ms', '%.3g s'), m.own_ns / m.steps
		/ iif(m.own_ns < 1e8 * m.steps, 1e6, 1e9)) as each, m.takes_ns / 1e9 as takes,
	m.before_ns / 1e9 as before, m.rank, m.line, n.hostname,
	m.saves_ns / 1e9 * (1 - 1.0 / r.nranks) as shared,
	iif(m.is_often, null, 'alone') as advice
from more m join finding_run r join finding_core o join noise_constant z
	left join node n on n.id = m.node_id
where m.saves_ns >= iif(m.is_own, :little, max(:some, o.without)) * m.before_ns
	and (m.is_own or m.saves_ns >= z.drift * (1 - m.before_ns / 1e9 / z.drift_s) * m.takes_ns)
	and (m.is_own or m.is_often
		or m.steps >= :stops and m.own_ns >= :wait_s * 1e9 * m.steps);
