-- The main threads wait for readers that compute (and not for threads of communication, which work
-- next to them): too few of them, or too much to do per sample. Where readers take the cores, too,
-- the main threads would have them: what they waited for one, times the part of all that ran on the
-- nodes that the readers were. It is no more than a main thread was off its core. A rank that waits
-- for readers needs no core.
with gpus as (
	select case when exists (select 1 from finding_gpu) then 'GPUs' else 'ranks' end as what
), lost as (
	select max(0, sum(starved) - (select readers from finding_late)) / 1e9 as seconds
	from finding_input
), cores as (
	select sum(cast(value as integer)) as n from environment
	where run_id = :run and scope like 'node:%' and key = 'cores'
), ran as (
	select sum(ns) as ns from (select max(value) - min(value) as ns from sample
		where run_id = :run and process_id is null
			and name in ('cpu.user', 'cpu.nice', 'cpu.system') group by node_id, name)
), main as (	-- a rank's first thread, not its children
	select avg(case name when 'proc.core_waited' then ns end) / 1e9 * f.seconds_all / f.whole
			as waited,
		avg(case name when 'proc.core_ran' then ns end) / 1e9 * f.seconds_all / f.whole
			as ran
	from finding_run f, (select s.name, max(s.value) - min(s.value) as ns
		from process p cross join (select 'proc.core_waited' as name
				union all select 'proc.core_ran') k
			cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
			and s.name = k.name and s.process_id = p.id
		where p.run_id = :run and p.rank is not null group by p.id, s.name)
), kept as (
	select m.waited * min(1, d.useful * (1 - c.without) / a.ns) as seconds, m.ran
	from finding_readers d, finding_core c, ran a, main m
), saved as (
	select l.seconds, c.n, coalesce(c.n <= r.nranks
			* (1 + d.per_rank - l.seconds / r.seconds_all), 0) as taken,
		case when l.seconds >= :little * r.seconds_all then coalesce(k.seconds, 0)
				else 0 end as core,
		max(l.seconds, r.seconds_all - coalesce(k.ran, 0)) as most
	from lost l, cores c, kept k, finding_readers d, finding_run r
)
select min(l.most, l.seconds + l.taken * l.core) as seconds, g.what,
	100 * l.seconds / r.seconds_all as percent, d.per_rank,
	100.0 * (d.io + d.useful) / d.life as busy, 100.0 * d.useful / (d.io + d.useful) as useful,
	(select f.text from finding_fetching f, noise_constant z
		where f.ns >= z.most * f.fetched_ns) as line,
	l.n as cores, case when l.taken then 'taken' end as advice, c.sure as confidence
from finding_readers d, saved l, gpus g, finding_input_sure c, finding_run r where d.useful > d.io;
