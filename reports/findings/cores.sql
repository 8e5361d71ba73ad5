-- The share of its time in which the first thread of a rank wanted a core and had none, and by
-- whom: by what ran there besides. First threads of other ranks count where they are more than the
-- cores. One rank at a time waits for who has its core: what ran less than that in all did not keep
-- them waiting all the time. Where half of their cores were idle nobody was in the way, unless the
-- ranks, more than cores, were in each other's. A rank wants a core all the time but when it waits,
-- also when it polls in MPI or for its device, where nobody may be through earlier with one.
-- `working` is what fell on computing and I/O, `part` the share of these two in which it had none,
-- and so it is by cause. What the quota of the control group kept it from nobody else had.
create temp table finding_without as
with share as (
	-- the counter begins with the thread: a first sample that comes late is of the time before
	select p.id as process_id, p.node_id, case
		when min(s.t_ns) - p.start_ns > :some * (max(s.t_ns) - p.start_ns)
		then min(1, 1.0 * max(s.value) / (max(s.t_ns) - p.start_ns))
		else 1.0 * (max(s.value) - min(s.value)) / (max(s.t_ns) - min(s.t_ns)) end as share
	from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
		and s.process_id = p.id
		and s.name = 'proc.core_waited'
	where p.run_id = :run and p.rank is not null
	group by p.id having max(s.t_ns) > min(s.t_ns)
), waited as (
	select w.process_id, w.node_id, f.machine, w.share, coalesce(l.part, 0) as limited,
		w.share * (1 - coalesce(l.part, 0)) as taken,
		coalesce(min(1, w.share * d.life / nullif(d.life - d.wait, 0)), 0) as part,
		1.0 * (d.useful + d.io) / d.life as work
	from share w join finding_node f on f.node_id = w.node_id
		join (select *, outside + comm as life from finding_share where "window" = 'run') d
			on d.process_id = w.process_id
		left join finding_limited l on l.process_id = w.process_id
), load as (
	select *, max(helpers + others + case when ranks > cpus then main * (ranks - 1) / ranks
				else 0 end,
		(select sum(w.taken) from waited w where w.machine = f.machine)) as taken,
		idle - (cores - cpus) >= :most * cpus as free
	from finding_ran f
)
select w.process_id, w.node_id, w.share, w.part * w.work as working, w.part,
	w.limited, w.part * w.limited as quota,
	case when free then 0 when b.taken > 0
		then w.part * (1 - w.limited) * others / b.taken else 0 end as others,
	case when free then 0 when b.taken > 0
		then w.part * (1 - w.limited) * helpers / b.taken else 0 end as own,
	case when free and coalesce(ranks, 0) <= cpus then w.part * (1 - w.limited)
		else 0 end as unused
from waited w join load b on b.node_id = w.node_id;

-- Share of their time that ranks had no core, over the nodes whose kernel says; else 0. Calls last
-- that much longer on average, whatever they do.
create temp table finding_core as
select coalesce(avg(value), 0) as without from metric
where run_id = :run and "window" = 'run' and model = 'counters' and name = 'without_core';
