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

-- finding_stopped: how long each rank was stopped. The count begins at 0, and has no row before.
create temp table finding_stopped as
select p.id as process_id, p.rank, max(s.value) as ns
from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
	and s.process_id = p.id and s.name = 'proc.stopped'
where p.run_id = :run and p.rank is not null group by p.id;

-- finding_stopping: from when until when a rank or more were. A reading that shows a stop is
-- taken right after it.
create temp table finding_stopping as
with stop as (
	select process_id, t_ns as till_ns, value - coalesce(lag(value) over
			(partition by process_id order by t_ns), 0) as ns
	from sample where run_id = :run and name = 'proc.stopped'
		and process_id in (select process_id from finding_stopped)
), apart as (
	select process_id, till_ns - ns as from_ns, till_ns, max(till_ns) over (order by
			till_ns - ns, till_ns rows between unbounded preceding and 1 preceding)
		< till_ns - ns as begins from stop where ns > 0
), span as (
	select *, sum(coalesce(begins, 1)) over (order by from_ns, till_ns
			rows unbounded preceding) as nth from apart
)
select min(from_ns) as from_ns, max(till_ns) as till_ns from span group by nth;
