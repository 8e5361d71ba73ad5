-- Where the timeline shows the cause of each finding: temporary table finding_place(n, who, row,
-- from_ns, to_ns, state, step), for findings_top.sql and finding_places.sql. who: the rank that it
-- names. The range is two steps around the worst one of a straggler, the longest instance of a
-- phase, what passed before the first or after the last step or since ranks hang, else the bins
-- with most of the state that is lost. step: of those that are there in full the one that
-- shows it best. NULL: the row alone, and without a row nothing.
create temp table place_way as
with outside as (	-- of the cause that saves what the finding does
	select s.n, iif(c.first_step = -2, 'start', 'end') as part,
		min(abs(c.saves_ns - s.seconds * 1e9)) as apart
	from finding s join cause c on c.run_id = :run and c.part = s.variant || '_outside'
	where s.run_id = :run and s.rule = 'outside_more' group by s.n
)
	-- of the rule (key `timeline:`), shows: step (worst of a straggler), phase, start, end,
	-- hang, bins (of the state), own (the same of the culprit), device (of a rank), unused,
	-- row, none: it is everywhere; outside (of steps): start, end, phase or row
select s.n, s.rule, s.variant, s.seconds, s.culprit_rank as who, case w.shows when 'outside'
		then coalesce((select iif(t.phase = '(start)', 'start', 'end') from finding_time t
			where t.run_id = :run and t.n = s.n and t.phase in ('(start)', '(end)')),
			iif(s.phase is not null, 'phase', null),
			(select part from outside o where o.n = s.n), 'row')
		else w.shows end as shows, w.state
from finding s left join (select rule, variant, value as shows, nullif(detail, '') as state
	from rule_key where key = 'timeline') w on w.rule = s.rule
	and w.variant in ('', s.variant)
where s.run_id = :run;

-- In which time to look: of the phase that most of the seconds are of, for what steps have also
-- of nothing else the steps.
create temp table place_span as
with phase_of as (
	select n, phase, row_number() over (partition by n
		order by sum(seconds) desc, phase) as nth
	from finding_time where run_id = :run and phase <> '' and phase not glob '(*)'
	group by n, phase
)
select o.n, min(h.start_ns) as from_ns, max(h.end_ns) as to_ns, o.phase
from phase_of o join phase h on h.run_id = :run and h.name = o.phase where o.nth = 1
group by o.n
union all
select y.n, min(s.start_ns), max(s.end_ns), null from place_way y
	join step s on s.run_id = :run
where y.state in ('mpi', 'gloo', 'mpi_wait', 'gloo_wait') and y.shows in ('bins', 'own')
	and y.n not in (select n from phase_of) group by y.n;

create temp table place_bin as	-- of many ranks and GPUs some, evenly spread
with many as (
	select count(distinct coalesce(location_id, -device_id)) / 64 + 1 as every from timeline
	where run_id = :run
), some as (
	select t.state, t.bin_ns, t.shares, p.rank, dense_rank() over (
			order by t.device_id, t.location_id) % m.every as nth
	from timeline t join many m left join location l on l.id = t.location_id
		left join process p on p.id = l.process_id
	where t.run_id = :run and t.state in (select state from place_way)
)
select s.state, s.bin_ns, j.key as bin, s.rank, sum(j.value) as share
from some s, json_each(s.shares) j where j.value > 0
	and (s.nth = 0 or s.rank in (select who from place_way where shows = 'own'))
group by s.state, s.bin_ns, j.key, s.rank;

create temp table place_step as	-- what main threads and streams spent of a step in each state
select t.step, t.state, 1.0 * sum(t.end_ns - t.start_ns) / count(distinct t.location_id)
	/ max(w.end_ns - w.start_ns) as share
from timeline_window w join timeline_step t on t.run_id = :run and t.step = w.step
	join location l on l.id = t.location_id and (l.is_main or l.kind = 'accelerator_stream')
where w.run_id = :run group by t.step, t.state;

-- Steps in which the rank of a cause, else the first rank, has it: by what it slept, else by its
-- own time. is_full: the step is there in full and shows it.
create temp table place_own as
with full_of as (	-- steps in full in which the main thread of a rank is in a state
	select distinct w.step, l.process_id, t.state from timeline_window w
		join timeline_step t on t.run_id = :run and t.step = w.step
		join location l on l.id = t.location_id and l.is_main
	where w.run_id = :run
), full_for as (
	select distinct y.n, o.step, o.process_id from place_way y join full_of o
		on o.state = y.state or y.rule = 'step_compute'
)
select y.n, s.n as step, s.start_ns, s.end_ns, f.step is not null as is_full,
	case when y.variant = 'sleep' then coalesce(s.slept_ns, 0)
		else s.end_ns - s.start_ns - coalesce(s.waited_ns, 0)
			- iif(y.rule = 'step_wait', coalesce(s.slept_ns, 0), 0) end as ns
from (select * from place_way group by n) y
	join finding g on g.run_id = :run and g.n = y.n
	join process p on p.run_id = :run and p.rank = coalesce(y.who, (select min(rank)
		from process where run_id = :run))
	join step s on s.run_id = :run and s.process_id = p.id
		and s.n between g.first_step and g.last_step and not s.cut
	left join full_for f on f.n = y.n and f.step = s.n and f.process_id = p.id
where y.rule in ('step_wait', 'step_compute');

create temp table finding_place as
with place(n, first, state, from_ns, to_ns, weight) as (
	-- a straggler: two steps around the one in which it was latest
	select y.n, 1, y.state, s.start_ns - 2 * (s.end_ns - s.start_ns),
		s.end_ns + 2 * (s.end_ns - s.start_ns), s.excess_ns
	from place_way y join process p on p.run_id = :run and p.rank = y.who
		join straggler g on g.run_id = :run and g.rank = y.who
		join step s on s.run_id = :run and s.process_id = p.id
			and s.n between g.since_step and g.until_step
	where y.shows = 'step'
	union all
	select y.n, 1, y.state, o.start_ns - 2 * (o.end_ns - o.start_ns),
		o.end_ns + 2 * (o.end_ns - o.start_ns), o.ns
	from place_way y join place_own o on o.n = y.n
	union all	-- an instance of the phase that most of the seconds are of
	select y.n, 1, null, min(h.start_ns), max(h.end_ns), max(h.end_ns) - min(h.start_ns)
	from place_way y join phase h on h.run_id = :run and h.name = coalesce((select phase
			from place_span v where v.n = y.n), (select f.phase from finding f
			where f.run_id = :run and f.n = y.n))
	where y.shows = 'phase' group by y.n, h.name, h.instance
	union all	-- before the first step, after the last one, since ranks hang
	select y.n, 1, y.state, 0, min(s.start_ns), 1 from place_way y
		join step s on s.run_id = :run where y.shows = 'start' group by y.n
	union all
	select y.n, 1, y.state, max(s.end_ns), r.duration_ns, 1 from place_way y
		join run r on r.id = :run join step s on s.run_id = :run
	where y.shows = 'end' group by y.n
	union all
	select y.n, 1, y.state, r.duration_ns - y.seconds * 1e9, r.duration_ns, 1
	from place_way y join run r on r.id = :run
	where y.shows = 'hang' and y.state in (select state from timeline where run_id = :run)
	union all
	select y.n, 2, y.state, (b.bin - 1) * b.bin_ns, (b.bin + 2) * b.bin_ns,
		sum(b.share)
	from place_way y join place_bin b on b.state = y.state
		and (y.shows <> 'own' or b.rank = y.who)
		left join place_span v on v.n = y.n
	where y.shows in ('bins', 'own', 'device', 'phase', 'start', 'end')
		and (b.bin + 0.5) * b.bin_ns between coalesce(v.from_ns, 0)
			and coalesce(v.to_ns, (b.bin + 1) * b.bin_ns)
	group by y.n, b.state, b.bin
), best as (
	select *, row_number() over (partition by n order by first, weight desc, from_ns) as nth
	from place
), gpu as (
	select case d.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
			|| coalesce(o.rank || ':', '') || coalesce(o.ordinal, 0) as label,
		o.rank, o.ordinal,
		(select total(ns) from device_time t where t.run_id = :run and t.device_id = d.id
			and t."window" = 'run' and t.state = 'compute') as computed
	from device d left join device_owner o on o.device_id = d.id where d.run_id = :run
)
select y.n, y.who, case y.shows
		when 'unused' then (select label from gpu where computed = 0
			order by rank is null, rank, ordinal limit 1)
		when 'device' then (select label from gpu where rank = y.who
			order by ordinal limit 1)
		else 'rank ' || y.who end as row,
	max(0, b.from_ns) as from_ns,
	min(b.to_ns, (select duration_ns from run where id = :run)) as to_ns, b.state,
	case when exists (select 1 from place_own o where o.n = y.n and is_full)
			then (select step from place_own o where o.n = y.n and is_full
				order by ns desc, step limit 1)
		when y.shows = 'step' then (select step from timeline_window where run_id = :run
			and why glob '*late rank*')
		when b.state glob 'idle:*' then (select step from timeline_window
			where run_id = :run and why glob 'typical*')
		when y.shows in ('bins', 'own', 'device') then (select step from place_step p
			where p.state = b.state and share >= 0.05 order by share desc, step limit 1)
		end as step
from (select * from place_way group by n) y left join best b on b.n = y.n and b.nth = 1
order by y.n;
