-- Cores that the ranks of a node may run on, by their affinities, and those that it has; NULL: not told.
create temp table finding_node as
with recursive split(process_id, part, rest) as (
	select id, '', affinity || ',' from process
	where run_id = (select run_id from finding_run) and rank is not null and affinity <> ''
	union all
	select process_id, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) from split where rest <> ''
), cpu(process_id, n, last) as (
	select process_id, cast(part as integer), cast(substr(part, instr(part, '-') + 1) as integer) from split where part <> ''
	union all
	select process_id, n + 1, last from cpu where n < last
), allowed as (
	select p.node_id, count(distinct c.process_id) as ranks, count(distinct c.n) as cpus
	from cpu c join process p on p.id = c.process_id group by p.node_id
)
select d.id as node_id, d.hostname, a.ranks, a.cpus, (select cast(value as integer) from environment e
	where e.run_id = d.run_id and e.scope = 'node:' || d.hostname and e.key = 'cores') as cores
from node d left join allowed a on a.node_id = d.id where d.run_id = (select run_id from finding_run);

-- What ran on the cores of a node, in cores on average, where its kernel tells: `main` the ranks' first threads,
-- `helpers` the other threads and children of the job, `others` everything else, as far as it had room on the cores
-- that the ranks may use; `readers` those of the helpers that read. `idle`: cores of the node that nobody used.
create temp table finding_ran as
with grown as (
	select node_id, process_id, name, max(value) - min(value) as ns, max(t_ns) - min(t_ns) as span from sample
	where run_id = (select run_id from finding_run) and (name in ('proc.cpu', 'proc.core_ran')
		or process_id is null and name in ('cpu.user', 'cpu.nice', 'cpu.system', 'cpu.irq', 'cpu.softirq', 'cpu.idle', 'cpu.iowait'))
	group by node_id, process_id, name having max(t_ns) > min(t_ns)
), node as (
	select g.node_id, 1.0 * sum(case when g.name in ('cpu.idle', 'cpu.iowait') then ns end) / max(case g.name when 'cpu.idle' then span end) as idle,
		1.0 * sum(case when g.process_id is null and g.name not in ('cpu.idle', 'cpu.iowait') then ns end) / max(case g.name when 'cpu.idle' then span end) as busy,
		sum(case g.name when 'proc.cpu' then ns end) / r.seconds_all / 1e9 as job,
		sum(case when g.name = 'proc.core_ran' and p.rank is not null then ns end) / r.seconds_all / 1e9 as main
	from grown g left join process p on p.id = g.process_id join finding_run r group by g.node_id
), read as (
	select p.node_id, sum(d.useful) / r.seconds_all / 1e9 as readers
	from finding_reader d join process p on p.run_id = r.run_id and p.rank = d.rank join finding_run r group by p.node_id
)
select n.node_id, f.hostname, f.ranks, coalesce(f.cpus, f.cores) as cpus, f.cores, n.main, max(0, n.job - n.main) as helpers,
	max(0, min(n.busy - n.job, coalesce(f.cpus, f.cores) - n.job)) as others, coalesce(d.readers, 0) as readers, n.idle
from node n join finding_node f on f.node_id = n.node_id left join read d on d.node_id = n.node_id
where n.busy > 0 and n.job > 0 and n.main > 0 and f.cores > 0;

-- The share of its time in which the first thread of a rank wanted a core and had none, and by whom: by what
-- ran there besides. First threads of other ranks count where they are more than the cores. One rank at
-- a time waits for who has its core: what ran less than that in all did not keep them waiting all the time. Where half
-- of their cores were idle nobody was in the way but a limit on the ranks' CPU time.
create temp table finding_without as
with waited as (
	select p.id as process_id, p.node_id, 1.0 * (max(s.value) - min(s.value)) / (max(s.t_ns) - min(s.t_ns)) as share
	from process p cross join sample s on s.run_id = p.run_id and s.node_id = p.node_id and s.process_id = p.id
		and s.name = 'proc.core_waited'
	where p.run_id = (select run_id from finding_run) and p.rank is not null
	group by p.id having max(s.t_ns) > min(s.t_ns)
), beside as (
	select *, max(helpers + others + case when ranks > cpus then main * (ranks - 1) / ranks else 0 end,
		(select sum(w.share) from waited w where w.node_id = f.node_id)) as taken, idle - (cores - cpus) >= 0.5 * cpus as free
	from finding_ran f
)
select w.process_id, w.node_id, w.share,
	case when free then 0 when taken > 0 then w.share * others / taken else 0 end as others,
	case when free then 0 when taken > 0 then w.share * helpers / taken else 0 end as own,
	case when free then w.share else 0 end as unused
from waited w join beside b on b.node_id = w.node_id;

-- Share of their time that ranks had no core, over the nodes whose kernel tells; else 0. Calls last
-- that much longer on average, whatever they do.
create temp table finding_core as
select coalesce(avg(value), 0) as without from metric
where run_id = (select run_id from finding_run) and "window" = 'run' and model = 'counters' and name = 'without_core';
