-- What keeps ranks from running that is no other thread: the CPU quota of their control group, and
-- stops of the whole process (SIGSTOP, a batch system that suspends the job, a debugger).
--
-- finding_limited: the part of a rank's run-queue wait in which its group was throttled, and the
-- quota in cores. The kernel counts for how long it kept the group from each CPU, however many of
-- its ranks waited there: of as much as they waited in all at the most.
create temp table finding_limited as
with grown as (
	select p.id as process_id, p.node_id,
		max(case s.name when 'proc.throttled' then s.value end) as throttled,
		max(case s.name when 'proc.core_waited' then s.value end)
			- min(case s.name when 'proc.core_waited' then s.value end) as waited,
		max(case s.name when 'proc.quota' then s.value end) / 1e3 as quota,
		max(case s.name when 'proc.quota_group' then s.value end) as grouped
	from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
		and s.process_id = p.id and s.name in ('proc.throttled', 'proc.core_waited',
			'proc.quota', 'proc.quota_group')
	where p.run_id = :run and p.rank is not null group by p.id
), bound as (
	select f.machine, g.grouped, max(g.throttled) * max(1, 1.0 * count(*)
			/ coalesce(max(f.machine_cpus), max(f.machine_cores), count(*)))
		as throttled,
		sum(g.waited) as waited
	from grown g join finding_node f on f.node_id = g.node_id
	where g.throttled > 0 group by f.machine, g.grouped
)
select g.process_id, g.quota, min(1, b.throttled / b.waited) as part
from grown g join finding_node f on f.node_id = g.node_id
	join bound b on b.machine = f.machine and b.grouped = g.grouped
where b.waited > 0;

-- finding_stop_seen: stops of each rank. The count begins at 0, and has no row before. A reading
-- that shows a stop is taken right after it. Of a rank that ran or waited for a core for half of
-- that time only the helper was late, as it waited for a disk.
create temp table finding_stop_seen as
with stop as (
	select s.process_id, p.rank, s.t_ns as till_ns, s.value - coalesce(lag(s.value) over
			(partition by s.process_id order by s.t_ns), 0) as ns
	from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
		and s.process_id = p.id and s.name = 'proc.stopped'
	where p.run_id = :run and p.rank is not null
), core as (
	select s.process_id, s.till_ns, max(c.value) - coalesce(max(c.value) filter
			(where c.t_ns <= s.till_ns - s.ns), 0) as ns
	from stop s join sample c on c.run_id = :run and c.process_id = s.process_id
		and c.name in ('proc.core_ran', 'proc.core_waited')
		and c.t_ns between s.till_ns - s.ns - 2e9 and s.till_ns
	where s.ns > 0 group by s.process_id, s.till_ns, c.name
)
select s.process_id, s.rank, s.till_ns - s.ns as from_ns, s.till_ns, s.ns
from stop s left join (select process_id, till_ns, sum(ns) as ns from core group by 1, 2) c
	on c.process_id = s.process_id and c.till_ns = s.till_ns
where s.ns > 0 and coalesce(c.ns, 0) < s.ns / 2;

-- finding_stopped: how long each rank was stopped.
create temp table finding_stopped as
select process_id, rank, sum(ns) as ns from finding_stop_seen group by process_id;
