-- needs: pinning_tables
-- Which CPUs, memory and GPUs each rank may use, and what does not fit together.
with own(process_id, cpus, sharing) as materialized (
	select c.process_id, count(*), max(u.ranks) from pinning_cpu c
		join pinning_users u on u.node_id = c.node_id and u.n = c.n group by c.process_id
), near(process_id, numa) as materialized (
	select distinct c.process_id, h.numa from pinning_cpu c
		join pinning_home h on h.node_id = c.node_id and h.n = c.n order by 1, 2
), near_all(process_id, spans, numa) as materialized (
	select process_id, count(*), group_concat(numa) from near group by process_id
), gpu_all(process_id, gpus, far) as materialized (
	select g.process_id, group_concat(g.name || case when g.numa is null then ''
				else ' on NUMA ' || g.numa end, ', '),
		group_concat(case when g.numa is not null
					and n.numa is null then g.name || ' is on NUMA '
					|| g.numa end, ', ')
	from pinning_gpu g left join near n on n.process_id = g.process_id and n.numa = g.numa
	group by g.process_id
), cpus_of(node_id, cpus) as materialized (
	select node_id, count(distinct n) from pinning_cpu group by node_id
), numas_of(node_id, numas) as materialized (
	select node_id, count(distinct numa) from pinning_home group by node_id
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
