-- Cores that the ranks of a node may run on, by their affinities, and those that it has; NULL: not
-- reported. Nodes that booted at once are one machine (namespaces, containers), and its ranks and
-- cores those of them all.
create temp table finding_node as
with recursive split(process_id, part, rest) as (
	select id, '', affinity || ',' from process
	where run_id = :run and rank is not null and affinity <> ''
	union all
	select process_id, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1)
	from split where rest <> ''
), cpu(process_id, n, last) as (
	select process_id, cast(part as integer),
		cast(substr(part, instr(part, '-') + 1) as integer) from split where part <> ''
	union all
	select process_id, n + 1, last from cpu where n < last
), place as (
	select d.id as node_id, d.hostname,
		coalesce((select value from environment e where e.run_id = d.run_id
			and e.scope = 'node:' || d.hostname and e.key = 'boot_id'),
			'node:' || d.id) as machine,
		(select cast(value as integer) from environment e
			where e.run_id = d.run_id and e.scope = 'node:' || d.hostname
				and e.key = 'cores') as cores
	from node d where d.run_id = :run
), used as (
	select l.machine, p.node_id, c.process_id, c.n from cpu c
		join process p on p.id = c.process_id join place l on l.node_id = p.node_id
), allowed as (
	select node_id, count(distinct process_id) as ranks, count(distinct n) as cpus from used
	group by node_id
), whole as (
	select machine, count(distinct process_id) as ranks, count(distinct n) as cpus from used
	group by machine
)
select l.node_id, l.hostname, a.ranks, a.cpus, l.cores, l.machine, w.ranks as machine_ranks,
	w.cpus as machine_cpus,
	(select max(o.cores) from place o where o.machine = l.machine) as machine_cores,
	(select count(*) from place o where o.machine = l.machine) as machine_nodes
from place l left join allowed a on a.node_id = l.node_id
	left join whole w on w.machine = l.machine;

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
		sum(case g.name when 'proc.cpu' then ns end) / r.seconds_all / 1e9 as job,
		sum(case when g.name = 'proc.core_ran' and p.rank is not null then ns end)
			/ r.seconds_all / 1e9 as main
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

-- The share of its time in which the first thread of a rank wanted a core and had none, and by
-- whom: by what ran there besides. First threads of other ranks count where they are more than the
-- cores. One rank at a time waits for who has its core: what ran less than that in all did not keep
-- them waiting all the time. Where half of their cores were idle nobody was in the way, unless the
-- ranks, more than cores, were in each other's. A rank wants a core all the time but when it waits,
-- also when it polls in MPI or for its device, where nobody may be through earlier with one.
-- `working` is what fell on computing and I/O, `part` the share of these two in which it had none,
-- and so it is by cause.
create temp table finding_without as
with did as (
	select process_id, 1.0 * sum(ns) as life,
		sum(case when state <> 'wait' then ns else 0 end) as awake,
		sum(case when state in ('useful', 'io') then ns else 0 end) as work
	from host_time where run_id = :run and "window" = 'run' and state <> 'absent'
	group by process_id
), share as (
	select p.id as process_id, p.node_id, 1.0 * (max(s.value) - min(s.value))
		/ (max(s.t_ns) - min(s.t_ns)) as share
	from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id
		and s.process_id = p.id
		and s.name = 'proc.core_waited'
	where p.run_id = :run and p.rank is not null
	group by p.id having max(s.t_ns) > min(s.t_ns)
), waited as (
	select w.process_id, w.node_id, f.machine, w.share,
		coalesce(min(1, w.share * d.life / d.awake), 0) as part, d.work / d.life as work
	from share w join finding_node f on f.node_id = w.node_id
		join did d on d.process_id = w.process_id
), load as (
	select *, max(helpers + others + case when ranks > cpus then main * (ranks - 1) / ranks
				else 0 end,
		(select sum(w.share) from waited w where w.machine = f.machine)) as taken,
		idle - (cores - cpus) >= 0.5 * cpus as free
	from finding_ran f
)
select w.process_id, w.node_id, w.share, w.part * w.work as working, w.part,
	case when free then 0 when taken > 0 then w.part * others / taken else 0 end as others,
	case when free then 0 when taken > 0 then w.part * helpers / taken else 0 end as own,
	case when free and coalesce(ranks, 0) <= cpus then w.part else 0 end as unused
from waited w join load b on b.node_id = w.node_id;

-- Share of their time that ranks had no core, over the nodes whose kernel says; else 0. Calls last
-- that much longer on average, whatever they do.
create temp table finding_core as
select coalesce(avg(value), 0) as without from metric
where run_id = :run and "window" = 'run' and model = 'counters' and name = 'without_core';
