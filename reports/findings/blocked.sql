-- Main threads that are in no call on record, and yet neither ran nor waited for a core: a lock of
-- threads (mutex), pages of mapped files, calls that are not recorded. Useful time less both, of
-- the time that was sampled, is that at least; what a hypervisor took from the node is taken off,
-- and in which the whole process was stopped. A
-- rank without it is through earlier by as much as it was the last. Where the process's other
-- threads ran for half of it they may be what it waits for (the end of a parallel region): then
-- only what they have more than an equal part is lost, which nothing reports; and where they lack
-- cores that is reported by without_core. Of hosts of GPUs reports host_starves.
with sampled as (
	select p.id as process_id, max(case s.name when 'proc.core_ran' then s.value end)
		- min(case s.name when 'proc.core_ran' then s.value end) as ran,
		max(case s.name when 'proc.core_waited' then s.value end)
			- min(case s.name when 'proc.core_waited' then s.value end) as waited,
		max(case s.name when 'proc.cpu' then s.value end)
			- min(case s.name when 'proc.cpu' then s.value end) as threads,
		max(s.t_ns) - min(s.t_ns) as span,
		max(case s.name when 'proc.majflt' then s.value end)
			- min(case s.name when 'proc.majflt' then s.value end) as faults
	from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
		and s.process_id = p.id
		and s.name in ('proc.core_ran', 'proc.core_waited', 'proc.majflt', 'proc.cpu')
	where p.run_id = :run and p.rank is not null group by p.id
), stolen as (
	select node_id, max(value) - min(value) as ns from sample
	where run_id = :run and process_id is null and name = 'cpu.steal' group by node_id
), did as (
	select process_id, sum(ns) as life,
		sum(case state when 'useful' then ns else 0 end) as useful,
		sum(case when state in ('mpi', 'gloo') then 0 else ns end) as outside
	from host_time where run_id = :run and "window" = 'run' and state <> 'absent'
	group by process_id
), rank as (
	select p.rank, d.outside, s.faults, coalesce(s.threads - s.ran, 0) as helped,
		max(0, d.useful - s.ran - s.waited - max(0, d.life - s.span) - coalesce(t.ns, 0)
			- coalesce(h.ns, 0))
		as blocked
	from process p join did d on d.process_id = p.id join sampled s on s.process_id = p.id
		left join stolen t on t.node_id = p.node_id
		left join finding_stopped h on h.process_id = p.id
	where s.ran is not null and s.waited is not null
), most as (
	select *, helped >= :most * blocked as own,
		row_number() over (order by blocked desc, rank) as nth from rank
), saved as (
	select max(outside) - max(outside - blocked) as ns from rank
)
select k.ns / 1e9 as seconds, m.rank, m.blocked / 1e9 as blocked,
	case when m.faults > 100 then m.faults end as faults,
	case when m.own then 'own' end as message, case when m.own then 'own' end as advice,
	case when m.own then 'own' end as confidence
from saved k, most m, finding_run r, finding_core c
where m.nth = 1 and k.ns >= :little * 1e9 * r.seconds_all
	and not (m.own and c.without >= :crowded)
	and not exists (select 1 from finding_gpu);
