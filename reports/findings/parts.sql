-- Sums over the parts of a phase ('' without one): steps (0 if the phase itself is a part), the
-- largest number of ranks, useful and total time of all ranks, the longest rank, and the longest
-- time outside of communication. starved, io: the time saved if busy readers kept no rank waiting,
-- and if main threads did no I/O, limited by the idle time of devices, because hosts run ahead of
-- them; with devices, time in CUDA calls is excluded. quota, others, own, unused: the time saved
-- if ranks had not waited for cores by these causes in computing and I/O (finding_without). Steps
-- with a row represent the steps without one, limited to the recorded time of all steps. If only a
-- part of the run is in detail, the sums are limited to that part.
create temp table finding_fed as	-- share of waiting for readers, on ranks with busy readers
select u.phase, p.id as process_id, iif(m.name is null, 1, m.value) as part
from (select distinct phase from finding_unit) u
	join (select rank from finding_reader group by rank
		having sum(io + useful) >= :most * sum(life)) b
	join process p on p.run_id = :run and p.rank = b.rank
	left join metric m on m.run_id = :run and m."window"
		= iif(u.phase = '', 'run', 'phase:' || u.phase) and m.model = 'host'
		and m.name = 'wait_for_readers' and m.subject = 'rank:' || p.rank;
create temp table finding_sum("window" text primary key, ranks, useful, ns, longest, outside, host,
	fed, read, quota, others, own, unused) without rowid;
select finding_units_fill(:run);	-- analyzer/advise/finding_units.c

create temp table finding_part as
with idle as (
	select "window", max(own) - max(own - starved) as ns from finding_busy group by "window"
), unit as (
	select u.phase, u.steps, u.many, h.*, coalesce(d.ns, iif(u.phase in ('setup', 'init')
			or not exists (select 1 from finding_used), 9e18, 0)) as idle
	from finding_unit u join finding_sum h on h."window" = u."window"
		left join idle d on d."window" = u."window"
), whole as (
	select phase, sum(steps) as steps, sum(many) as many, max(ranks) as ranks,
		sum(many * useful) as useful, sum(many * ns) as ns, sum(many * longest) as longest,
		sum(many * outside) as outside, sum(many * min(host - fed, idle)) as starved,
		sum(many * min(host - read, idle)) as io, sum(many * (outside - quota)) as quota,
		sum(many * (outside - others)) as others, sum(many * (outside - own)) as own,
		sum(many * (outside - unused)) as unused
	from unit group by phase
), rest as (	-- the rank with most steps
	select name as phase, max(steps) as steps, max(ns) as ns from (
		select coalesce(f.name, '') as name, sum(rest) as steps, sum(ns) as ns from (
			select process_id, phase_id, steps as rest, 0 as ns from step_rest
			where run_id = :run
			union all select process_id, phase_id, 0, ns from step_all
			where run_id = :run
				and exists (select 1 from step_rest where run_id = :run)
		) a left join phase f on f.id = a.phase_id
		group by 1, a.process_id)
	where not (select is_part from finding_run) group by name
), times as (
	select w.phase, coalesce(r.steps, 0) as rest, coalesce(min(1.0 * (w.steps + r.steps)
			/ w.many, 1.0 * r.ns / nullif(w.longest, 0)), 1) as times,
		iif(n.is_part, coalesce(min(1, 1e9 * n.seconds_all / sum(w.longest) over ()), 1), 1)
			as fit
	from whole w join finding_run n
		left join rest r on r.phase = w.phase and w.steps > 0 and r.steps > 0
)
select phase, steps + rest as steps, ranks, useful * times as useful, ns * times as ns, times,
	longest * times * fit as longest, outside * times * fit as outside,
	starved * times * fit as starved, io * times * fit as io, quota * times * fit as quota,
	others * times * fit as others, own * times * fit as own, unused * times * fit as unused
from whole join times using (phase);
