-- Which CPUs, memory and GPUs each rank may use, and what does not fit together. NUMA nodes are
-- those that the collector found in /sys; a GPU's is that of its PCI address.
-- 0-3,8 of ranks ('p' and their process) and of NUMA nodes ('n', node, number)
with recursive list(owner, part, rest) as (
	select 'p' || id, '', affinity || ',' from process
	where run_id = :run and rank is not null and affinity <> ''
	union all
	select 'n' || d.id || '.' || substr(e.key, 6), '', e.value || ',' from environment e
		join node d on d.run_id = :run
		and e.scope = 'node:' || d.hostname where e.run_id = :run
		and e.key glob 'numa.[0-9]*'
	union all
	select owner, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1)
	from list where rest <> ''
), range(owner, n, last) as (
	select owner, cast(part as integer),
		min(cast(part as integer) + 1023,
			cast(substr(part, instr(part, '-') + 1) as integer)) from list
	where part glob '[0-9]*'
	union all
	select owner, n + 1, last from range where n < last
), cpu(process_id, node_id, n) as (
	select distinct p.id, p.node_id, r.n from range r join process p on r.owner = 'p' || p.id
	where p.run_id = :run
), home(node_id, numa, n) as (
	select distinct cast(substr(owner, 2) as integer),
		cast(substr(owner, instr(owner, '.') + 1) as integer), n from range
	where owner glob 'n*'
), users(node_id, n, ranks) as (
	select node_id, n, count(*) from cpu group by node_id, n
), gpu(process_id, name, numa) as (
	select u.process_id, case d.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
		|| u.ordinal, nullif(cast(e.value as integer), -1)
	from device_owner u join device d on d.id = u.device_id left join node h on h.id = d.node_id
		left join environment e on e.run_id = :run
		and e.scope = 'node:' || h.hostname
		and lower(e.key) in ('gpu_numa.' || lower(d.pci), 'gpu_numa.0000:' || lower(d.pci),
			'gpu_numa.' || substr(lower(d.pci), -12))
	where d.run_id = :run
), own(process_id, cpus, sharing) as materialized (
	select c.process_id, count(*), max(u.ranks) from cpu c
		join users u on u.node_id = c.node_id and u.n = c.n group by c.process_id
), near(process_id, numa) as materialized (
	select distinct c.process_id, h.numa from cpu c
		join home h on h.node_id = c.node_id and h.n = c.n order by 1, 2
), near_all(process_id, spans, numa) as materialized (
	select process_id, count(*), group_concat(numa) from near group by process_id
), gpu_all(process_id, gpus, far) as materialized (
	select g.process_id, group_concat(g.name || case when g.numa is null then ''
				else ' on NUMA ' || g.numa end, ', '),
		group_concat(case when g.numa is not null
					and n.numa is null then g.name || ' is on NUMA '
					|| g.numa end, ', ')
	from gpu g left join near n on n.process_id = g.process_id and n.numa = g.numa
	group by g.process_id
), cpus_of(node_id, cpus) as materialized (
	select node_id, count(distinct n) from cpu group by node_id
), numas_of(node_id, numas) as materialized (
	select node_id, count(distinct numa) from home group by node_id
), neighbours_of(node_id, ranks) as materialized (
	select node_id, count(*) from process where run_id = :run and rank is not null
	group by node_id
), rank as (
	select p.id, p.rank, p.affinity, d.hostname, coalesce(o.cpus, 0) as cpus,
		coalesce(a.spans, 0) as spans, coalesce(m.numas, 0) as numas,
		a.numa, o.sharing, b.ranks as neighbours, coalesce(t.cpus, 0) as cpus_of_all,
		(select cast(value as integer) from environment e
				where e.run_id = :run and e.scope = 'node:' || d.hostname
				and e.key = 'cores') as cores,
		g.gpus, g.far
	from process p left join node d on d.id = p.node_id left join own o on o.process_id = p.id
		left join near_all a on a.process_id = p.id
		left join gpu_all g on g.process_id = p.id
		left join cpus_of t on t.node_id = p.node_id
		left join numas_of m on m.node_id = p.node_id
		left join neighbours_of b on b.node_id is p.node_id
		where p.run_id = :run and p.rank is not null
)
select 'rank ' || rank as "Rank", hostname as "Node",
	affinity as "CPUs||the main thread may run on", numa as "NUMA nodes||of these CPUs",
	gpus as "GPUs||with the NUMA node that each is attached to", 'not known' as "*|why",
	case when affinity is null then '' when far is not null then '✗ ' || far || ', the rank on '
			|| coalesce(numa, '?')
		when cpus_of_all < min(neighbours, cores) then '✗ ' || neighbours
			|| ' ranks take turns on ' || cpus_of_all || ' of ' || cores || ' CPUs'
		when cpus < cores and sharing > 1 and cpus < sharing then '✗ shares ' || cpus
			|| ' CPU' || case cpus when 1 then '' else 's' end || ' with '
			|| (sharing - 1) || ' other ranks'
		when cpus >= cores and neighbours > 1 and numas > 1
			then '! not bound: may run far from its memory'
		when spans > 1 and cpus < cores then '! spans ' || spans || ' NUMA nodes'
		when cpus >= cores and neighbours > 1 then 'not bound'
		else '✓' end as "Fits||✗ costs time, ! may cost some, ✓ fine"
from rank order by rank.rank limit 2000;
