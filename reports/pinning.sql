-- Which CPUs, memory and GPUs each rank may use, and what does not fit together. NUMA nodes are those that the
-- collector found in /sys; a GPU's is that of its PCI address.
with recursive list(owner, part, rest) as (	-- 0-3,8 of ranks ('p' and their process) and of NUMA nodes ('n', node, number)
	select 'p' || id, '', affinity || ',' from process where run_id = :run and rank is not null and affinity <> ''
	union all
	select 'n' || d.id || '.' || substr(e.key, 6), '', e.value || ',' from environment e join node d on d.run_id = :run
		and e.scope = 'node:' || d.hostname where e.run_id = :run and e.key glob 'numa.[0-9]*'
	union all
	select owner, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) from list where rest <> ''
), range(owner, n, last) as (
	select owner, cast(part as integer), min(cast(part as integer) + 1023, cast(substr(part, instr(part, '-') + 1) as integer)) from list where part glob '[0-9]*'
	union all
	select owner, n + 1, last from range where n < last
), cpu(process_id, node_id, n) as (
	select distinct p.id, p.node_id, r.n from range r join process p on r.owner = 'p' || p.id where p.run_id = :run
), home(node_id, numa, n) as (
	select distinct d.id, cast(substr(r.owner, instr(r.owner, '.') + 1) as integer), r.n from node d join range r
		on substr(r.owner, 1, instr(r.owner, '.')) = 'n' || d.id || '.' where d.run_id = :run
), users(node_id, n, ranks) as (
	select node_id, n, count(*) from cpu group by node_id, n
), gpu(process_id, name, numa) as (
	select u.process_id, case d.kind when 'stand-in' then 'stand-in ' else 'GPU ' end || u.ordinal, nullif(cast(e.value as integer), -1)
	from device_owner u join device d on d.id = u.device_id left join node h on h.id = d.node_id left join environment e on e.run_id = :run
		and e.scope = 'node:' || h.hostname and lower(e.key) in ('gpu_numa.' || lower(d.pci), 'gpu_numa.0000:' || lower(d.pci),
			'gpu_numa.' || substr(lower(d.pci), -12))
	where d.run_id = :run
), rank as (
	select p.id, p.rank, p.affinity, d.hostname, (select count(*) from cpu where process_id = p.id) as cpus,
		(select count(distinct h.numa) from cpu c join home h on h.node_id = c.node_id and h.n = c.n where c.process_id = p.id) as spans,
		(select count(distinct numa) from home where node_id = p.node_id) as numas,
		(select group_concat(distinct h.numa) from cpu c join home h on h.node_id = c.node_id and h.n = c.n where c.process_id = p.id) as numa,
		(select max(u.ranks) from cpu c join users u on u.node_id = c.node_id and u.n = c.n where c.process_id = p.id) as sharing,
		(select count(*) from process q where q.run_id = :run and q.rank is not null and q.node_id is p.node_id) as neighbours,
		(select count(distinct c.n) from cpu c where c.node_id = p.node_id) as cpus_of_all,
		(select cast(value as integer) from environment e where e.run_id = :run and e.scope = 'node:' || d.hostname and e.key = 'cores') as cores,
		(select group_concat(name || case when numa is null then '' else ' on NUMA ' || numa end, ', ') from gpu where process_id = p.id) as gpus,
		(select group_concat(name || ' is on NUMA ' || numa, ', ') from gpu g where process_id = p.id and numa is not null and not exists
			(select 1 from cpu c join home h on h.node_id = c.node_id and h.n = c.n where c.process_id = p.id and h.numa = g.numa)) as far
	from process p left join node d on d.id = p.node_id where p.run_id = :run and p.rank is not null
)
select 'rank ' || rank as "Rank", hostname as "Node", affinity as "CPUs||the main thread may run on", numa as "NUMA nodes||of these CPUs",
	gpus as "GPUs||with the NUMA node that each is attached to", 'not known' as "*|why",
	case when affinity is null then '' when far is not null then '✗ ' || far || ', the rank on ' || coalesce(numa, '?')
		when cpus_of_all < min(neighbours, cores) then '✗ ' || neighbours || ' ranks take turns on ' || cpus_of_all || ' of ' || cores || ' CPUs'
		when cpus < cores and sharing > 1 and cpus < sharing then '✗ shares ' || cpus || ' CPU' || case cpus when 1 then '' else 's' end || ' with ' || (sharing - 1) || ' other ranks'
		when cpus >= cores and neighbours > 1 and numas > 1 then '! not bound: may run far from its memory'
		when spans > 1 and cpus < cores then '! spans ' || spans || ' NUMA nodes'
		when cpus >= cores and neighbours > 1 then 'not bound'
		else '✓' end as "Fits||✗ costs time, ! may cost some, ✓ fine"
from rank order by rank.rank limit 2000;
