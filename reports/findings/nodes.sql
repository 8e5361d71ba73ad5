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
