-- One rank arrives late at the first step: until its first step begins the others wait for it in
-- collectives, those whose last it is. How long others waited for it with no network between is
-- reported by collective_rank, and of steps after the first by step: what is left is theirs before.
-- Shared among all they would be through after the mean of that; what the rank slept is needless,
-- and lost by all. A phase that others report (serial_phase) is not reported again, and little is a
-- start like any other. Clocks of nodes that nothing ties say nothing.
with first as (	-- early ones are not looked into: of collectives and steps there are many
	select max(s.start_ns) as ns, min(s.n) as n from process p
		cross join step s on s.run_id = p.run_id and s.process_id = p.id
		and s.n = (select min(n) from step where run_id = p.run_id and process_id = p.id)
	where p.run_id = :run and p.rank is not null
	having ns >= max(:start_s * 1e9, :little * 1e9 * (select whole from finding_run))
), met as (
	select c.last_rank as rank, c.op, c.first_ns, min(c.last_ns, f.ns) - c.first_ns as ns
	from first f cross join collective c
	where c.run_id = :run and c.first_ns < f.ns and c.last_rank is not null
), late as (	-- the collective in which it was waited for longest goes along
	select rank, op, sum(ns) as ns, min(first_ns) as since, max(ns) as longest from met
	group by rank order by sum(ns) desc limit 1
), other as (
	select p.rank, max(0, (select total(c.wait_ns) from collective_rank c
				where c.run_id = p.run_id and c.rank = p.rank)
		- (select total(s.waited_ns) from step s
				where s.run_id = p.run_id and s.process_id = p.id and s.n > f.n)
		- (select total(s.waited_ns) from step_rest s
				where s.run_id = p.run_id and s.process_id = p.id))
			as ns
	from process p, late l, first f where p.run_id = :run and p.rank is not null
		and p.rank <> l.rank
), waited as (
	select l.*, sum(min(o.ns, l.ns)) as sum, avg(min(o.ns, l.ns)) as others, f.ns as until
	from other o, late l, first f
), lost as (
	select w.*,
		min(1,
			coalesce((select max(0,
				total(case subject when 'rank:' || w.rank then value end)
				- total(case subject when 'rank:' || w.rank then 0 else value end)
				/ (r.nranks - 1))
		from metric where run_id = r.run_id and "window" = 'run' and model = 'host'
			and name = 'slept'), 0) / w.others) as asleep
	from waited w, finding_run r where w.others > 0
)
select (l.asleep * l.others + (1 - l.asleep) * l.sum / r.nranks) / 1e9 as seconds, l.rank,
	r.nranks - 1 as others, l.others / 1e9 as waited, l.op, l.until,
	0 as from_ns, l.until as till_ns,
	case when l.asleep >= :most then 'asleep' end as asleep,
	case when l.asleep >= :most then 'asleep' end as advice, k.text as line
from lost l join finding_run r join noise_constant z
	left join finding_line k on k.rank = l.rank and k.thread = 'main'
		and k.ns >= z.most * l.others
where r.nranks > 1 and l.others >= :start_s * 1e9
	and l.sum / r.nranks >= :little * 1e9 * r.seconds_all
	and not exists (select 1 from finding_serial s
			join process p on p.run_id = r.run_id and p.rank = l.rank
		join phase f on f.process_id = p.id and f.name = s.phase where s.rank = l.rank
		group by s.phase
		having sum(max(0, min(f.end_ns, l.until) - max(f.start_ns, l.since))) >= :most
			* l.others)
	and not (select count(*) > 1 and max(clock_residual_ns is null) from node n
		where run_id = r.run_id and exists (select 1 from process
				where node_id = n.id and rank is not null));
