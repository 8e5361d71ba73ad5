-- Where the time of a step (a sample, the run) went, means over the ranks and over the devices:
-- states of the window of `share`, where both runs have any. The states of a part add up to the
-- window, so their differences add up to that of the time: the row `all` is the last of each part.
-- Of a bounded run, the states of the time that is in detail, extended to all of it: one base for
-- both.
with spent as (
	select 'host' as part, h.side, t.state, sum(t.ns) * 1.0 / u.members / h.units as ns
	from share h join host_time t on t.run_id = h.run_id and t."window" = h."window"
		join process p on p.id = t.process_id
		join (select h.side, count(distinct t.process_id) as members from share h
				join host_time t on t.run_id = h.run_id
			and t."window" = h."window" join process p on p.id = t.process_id
			where p.rank is not null group by h.side) u on u.side = h.side
	where p.rank is not null group by h.side, t.state
	union all	-- that is no time of what is compared
	select 'host', h.side, 'absent', -l.ns / h.units
	from share h join lost_time l on l.run_id = h.run_id and l."window" = h."window"
	union all
	select 'device', h.side, t.state, sum(t.ns) * 1.0 / u.members / h.units
	from share h join device_time t on t.run_id = h.run_id and t."window" = h."window"
		join (select h.side, count(distinct t.device_id) as members from share h
				join device_time t on t.run_id = h.run_id
			and t."window" = h."window" group by h.side) u on u.side = h.side
	group by h.side, t.state
), whole as (
	select part, side, sum(ns) as ns,
		total(ns) filter (where state = 'not_in_detail') as unknown
	from spent group by part, side
), known as (
	select part, side, state,
		case when unknown > 0 and unknown < w.ns then s.ns * w.ns / (w.ns - unknown)
			else s.ns end as ns
	from spent s join whole w using (part, side)
	where s.state <> 'not_in_detail' or w.ns <= unknown
), joined as (
	select part, state, total(ns) filter (where side = 1) as base,
		total(ns) filter (where side = 2) as new
	from known where part in (select part from spent group by part
			having count(distinct side) = 2) group by part, state
)
select part, state, base as base_ns, new as new_ns, new - base as difference_ns from (
	select part, state, base, new, 0 as last from joined where base <> 0 or new <> 0
	union all
	select part, 'all', sum(base), sum(new), 1 from joined group by part)
order by part desc, last, abs(new - base) desc, state;
