-- pinning_cpu, pinning_home, pinning_users, pinning_gpu: CPUs that each rank may run on, those of
-- each NUMA node as the collector found them in /sys, how many ranks may use each, and GPUs with
-- the NUMA node of their PCI address.
-- 0-3,8 of ranks ('p' and their process) and of NUMA nodes ('n', node, number)
create temp table pinning_range as
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
)
select owner, n from range;
create temp table pinning_cpu as
select distinct p.id as process_id, p.node_id, r.n
from pinning_range r join process p on r.owner = 'p' || p.id where p.run_id = :run;
create temp table pinning_home as
select distinct cast(substr(owner, 2) as integer) as node_id,
	cast(substr(owner, instr(owner, '.') + 1) as integer) as numa, n
from pinning_range where owner glob 'n*';
create temp table pinning_users as
select node_id, n, count(*) as ranks from pinning_cpu group by node_id, n;
create temp table pinning_gpu as
select u.process_id, case d.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
	|| u.ordinal as name, nullif(cast(e.value as integer), -1) as numa
from device_owner u join device d on d.id = u.device_id left join node h on h.id = d.node_id
	left join environment e on e.run_id = :run
	and e.scope = 'node:' || h.hostname
	and lower(e.key) in ('gpu_numa.' || lower(d.pci), 'gpu_numa.0000:' || lower(d.pci),
		'gpu_numa.' || substr(lower(d.pci), -12))
where d.run_id = :run;
