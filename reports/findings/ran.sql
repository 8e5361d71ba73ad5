-- What ran on the cores of a node's machine, in cores on average, where its kernel says: `main`
-- the ranks' first threads, `helpers` the other threads and children of the job, `others`
-- everything else, as far as it had room on the cores that the ranks may use; `readers` those of
-- the helpers that read. `idle`: cores that nobody used.
create temp table finding_ran as
with grown as (
	-- what a child of a rank ran before its first sample is in that, as it began in the run
	select node_id, process_id, name, max(value)
		- case when name = 'proc.cpu' and process_id in (select id from process
			where run_id = :run and rank is null) then 0 else min(value) end as ns,
				max(t_ns) - min(t_ns) as span from sample
	where run_id = :run and (name in ('proc.cpu', 'proc.core_ran')
		or process_id is null
		and name in ('cpu.user', 'cpu.nice', 'cpu.system', 'cpu.irq', 'cpu.softirq',
				'cpu.idle', 'cpu.iowait'))
	group by node_id, process_id, name having max(t_ns) > min(t_ns)
), node as (
	select g.node_id, 1.0 * sum(case when g.name in ('cpu.idle', 'cpu.iowait') then ns end)
		/ max(case g.name when 'cpu.idle' then span end) as idle,
		1.0 * sum(case when g.process_id is null
					and g.name not in ('cpu.idle', 'cpu.iowait') then ns end)
			/ max(case g.name when 'cpu.idle' then span end) as busy,
		sum(case g.name when 'proc.cpu' then ns end) / r.whole / 1e9 as job,
		sum(case when g.name = 'proc.core_ran' and p.rank is not null then ns end)
			/ r.whole / 1e9 as main
	from grown g left join process p on p.id = g.process_id join finding_run r
	group by g.node_id
), read as (
	select f.machine, sum(d.useful) / r.seconds_all / 1e9 as readers
	from finding_reader d join process p on p.run_id = r.run_id and p.rank = d.rank
		join finding_node f on f.node_id = p.node_id
		join finding_run r group by f.machine
), machine as (	-- each node reports the whole of it
	select f.machine, f.machine_ranks as ranks,
		coalesce(f.machine_cpus, f.machine_cores) as cpus, f.machine_cores as cores,
		f.machine_nodes as nodes,
		avg(n.idle) as idle, avg(n.busy) as busy, sum(n.job) as job, sum(n.main) as main
	from node n join finding_node f on f.node_id = n.node_id
	where n.busy > 0 and n.job > 0 and n.main > 0 group by f.machine
)
select f.node_id, f.hostname, f.machine, m.nodes, m.ranks, m.cpus, m.cores, m.main,
	max(0, m.job - m.main) as helpers,
	max(0, min(m.busy - m.job, m.cpus - m.job)) as others, coalesce(d.readers, 0) as readers,
	m.idle
from machine m join finding_node f on f.machine = m.machine
	left join read d on d.machine = m.machine
where m.cores > 0;
