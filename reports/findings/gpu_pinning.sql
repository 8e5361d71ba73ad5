-- Ranks that may only run on CPUs of other NUMA nodes than the one their GPU is attached to. Copies
-- and launches cross the processors' link: taken as a third dearer, so a third of the time that
-- GPUs copy with nothing next to it and are idle for launches. 0-3,8 of processes ('p') and of NUMA
-- nodes ('n', node, number)
with recursive list(owner, part, rest) as (
	select 'p' || id, '', affinity || ',' from process
	where run_id = :run and rank is not null and affinity <> ''
	union all
	select 'n' || d.id || '.' || substr(e.key, 6), '', e.value || ',' from environment e
		join node d on d.run_id = e.run_id and e.scope = 'node:' || d.hostname
	where e.run_id = :run and e.key glob 'numa.[0-9]*'
	union all
	select owner, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1)
	from list where rest <> ''
), range(owner, n, last) as (
	select owner, cast(part as integer),
		min(cast(part as integer) + 1023,
			cast(substr(part, instr(part, '-') + 1) as integer))
	from list where part glob '[0-9]*'
	union all
	select owner, n + 1, last from range where n < last
), home(process_id, numa) as (
	select distinct p.id, cast(substr(h.owner, instr(h.owner, '.') + 1) as integer)
	from process p
		join range c on c.owner = 'p' || p.id join range h on h.n = c.n
		and substr(h.owner, 1, instr(h.owner, '.')) = 'n' || p.node_id || '.'
	where p.run_id = :run
), gpu(process_id, rank, hostname, numa) as (
	select p.id, p.rank, n.hostname, cast(e.value as integer) from device_owner u
		join device d on d.id = u.device_id
		join process p on p.id = u.process_id join node n on n.id = p.node_id
		join environment e on e.run_id = d.run_id
		and e.scope = 'node:' || n.hostname
		and lower(e.key) in ('gpu_numa.' || lower(d.pci), 'gpu_numa.0000:' || lower(d.pci),
			'gpu_numa.' || substr(lower(d.pci), -12))
	where d.run_id = :run and p.rank is not null and cast(e.value as integer) >= 0
		and exists (select 1 from device_time t
				where t.run_id = d.run_id and t."window" = 'run'
				and t.device_id = d.id
			and t.state = 'compute' and t.ns > 0)
), far as (
	select count(distinct process_id) as n, min(rank) as rank, numa, hostname,
		(select group_concat(numa) from home where process_id = g.process_id) as own
	from gpu g where exists (select 1 from home where process_id = g.process_id)
		and not exists (select 1 from home where process_id = g.process_id
				and numa = g.numa)
), exposed as (
	select sum(ns) as ns from finding_gpu
	where state in ('memcpy', 'idle:launch_latency', 'idle:host_in_cuda_api')
)
select e.ns / :link_far / 1e9 as seconds, f.n as ranks, f.rank, f.hostname, f.own, f.numa
from far f, exposed e, finding_run r where f.n > 0;
