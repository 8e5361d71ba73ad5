-- The CPUs that ranks may run on, and those of each NUMA node: 0-3,8.
create temp table finding_cpu as
with recursive split(process_id, node_id, numa, part, rest) as (
	select id, null, null, '', affinity || ',' from process
	where run_id = :run and rank is not null and affinity <> ''
	union all
	select null, d.id, cast(substr(e.key, 6) as integer), '', e.value || ',' from environment e
		join node d on d.run_id = e.run_id and e.scope = 'node:' || d.hostname
	where e.run_id = :run and e.key glob 'numa.[0-9]*'
	union all
	select process_id, node_id, numa, substr(rest, 1, instr(rest, ',') - 1),
		substr(rest, instr(rest, ',') + 1)
	from split where rest <> ''
), cpu(process_id, node_id, numa, n, last) as (
	select process_id, node_id, numa, cast(part as integer),
		min(cast(part as integer) + 1023,
			cast(substr(part, instr(part, '-') + 1) as integer))
	from split where part glob '[0-9]*'
	union all
	select process_id, node_id, numa, n + 1, last from cpu where n < last
)
select process_id, node_id, numa, n from cpu;
create index temp.finding_cpus on finding_cpu(node_id, n);

-- Cores that the ranks of a node may run on, by their affinities, and those that it has; NULL: not
-- reported. Nodes that booted at once are one machine (namespaces, containers), and its ranks and
-- cores those of them all.
create temp table finding_node as
with place as (
	select d.id as node_id, d.hostname,
		coalesce((select value from environment e where e.run_id = d.run_id
			and e.scope = 'node:' || d.hostname and e.key = 'boot_id'),
			'node:' || d.id) as machine,
		(select cast(value as integer) from environment e
			where e.run_id = d.run_id and e.scope = 'node:' || d.hostname
				and e.key = 'cores') as cores
	from node d where d.run_id = :run
), used as (
	select l.machine, p.node_id, c.process_id, c.n from finding_cpu c
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
