-- One rank has more to do than the others outside of steps, or in a run without steps, in
-- computing, reading, imports. The seconds are those of the step model (table cause). In which
-- phase that is: of those without steps the one in which it has most more than the others. Before
-- the first step ranks do not start at one moment, and where they lack cores their starts differ
-- more: then the rank must have far more than they, and more than a rank may be without a core
-- by bad luck. Other ranks rarely wait for what hosts do next to their devices.
with phase as (
	select f.phase, f.rank, f.outside, f.outside - avg(f.outside) over (
			partition by f.phase) as ns
	from finding_rank f join finding_part u on u.phase = f.phase
	where u.steps = 0 and f.phase <> ''
), most as (
	select rank, phase, max(ns) as ns, outside from phase group by rank
), stepped as (
	select max(start_ns) as since, min(end_ns) as till from (
		select min(s.start_ns) as start_ns, max(s.end_ns) as end_ns from step s
			join process p on p.id = s.process_id
		where s.run_id = :run and p.rank is not null group by p.id)
), more as (
	select c.*, p.rank, m.phase, c.takes_ns + c.saves_ns as before_ns,
		c.saves_ns * r.nranks / (r.nranks - 1.0) as more_ns,
		m.ns * r.nranks / (r.nranks - 1.0) as phase_ns, m.outside, max(:uneven - o.without,
			:uneven_least) as least, :unlucky_s * 1e9 * o.without as unlucky_ns,
		case when s.since is null then 'run'
		when c.first_step = -1 then 'after' when m.phase is null then 'before'
		else 'outside' end as time, s.since, s.till
	from cause c join stepped s join noise_constant z join finding_run r join finding_core o
		join process p on p.run_id = c.run_id and p.rank = cast(c.ranks as integer)
		left join most m on m.rank = p.rank and m.ns >= z.most * c.own_ns
	where c.run_id = :run and c.part = 'more_outside'
)
select m.saves_ns / 1e9 as seconds, m.ranks,
	m.own_ns / 1e9 * r.nranks / (r.nranks - 1) as more, m.takes_ns / 1e9 as takes,
	m.before_ns / 1e9 as before, m.rank, m.time as part, m.phase, k.text as line,
	case m.time when 'before' then 0 when 'after' then m.till end as from_ns,
	case m.time when 'before' then m.since when 'after' then r.whole * 1e9 end as till_ns
from more m join finding_run r join finding_core o join noise_constant z
	left join finding_line k on k.rank = m.rank and k.thread = 'main'
		and k.ns between z.most * m.own_ns and m.own_ns / z.most
where m.saves_ns >= iif(m.time in ('before', 'run') or exists (select 1 from finding_gpu),
		:outside_s, :start_s) * 1e9
	and m.saves_ns >= :little * 1e9 * r.whole
	and (m.saves_ns >= o.without * m.before_ns or m.saves_ns >= m.unlucky_ns
		and (m.before_ns - m.more_ns < m.least * m.before_ns
			or m.outside - m.phase_ns < m.least * m.outside));
