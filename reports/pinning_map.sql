-- The map of ranks to CPUs: a row per rank, a column per CPU. Values: 1 the rank's own, 2 shared
-- with other ranks of the node, 3 far from a GPU of the rank, 0 not allowed. Blocks: rows, borders
-- of the first node's NUMA nodes, cells.
with recursive size as (
	select (count(*) + 95) / 96 as w from process
	where run_id = :run and rank is not null and affinity <> ''
), list(owner, part, rest) as (
	select 'p' || id, '', affinity || ',' from process, size
	where run_id = :run and rank is not null and affinity <> '' and rank % w = 0
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
	select distinct d.id, cast(substr(r.owner, instr(r.owner, '.') + 1) as integer), r.n
	from node d join range r
		on substr(r.owner, 1, instr(r.owner, '.')) = 'n' || d.id || '.'
			where d.run_id = :run
), users(node_id, n, ranks) as (
	select node_id, n, count(*) from cpu group by node_id, n
), gpu(process_id, numa) as (
	select u.process_id, cast(e.value as integer) from device_owner u
		join device d on d.id = u.device_id join node h on h.id = d.node_id
		join environment e on e.run_id = :run and e.scope = 'node:' || h.hostname
		and lower(e.key) in ('gpu_numa.' || lower(d.pci), 'gpu_numa.0000:' || lower(d.pci),
				'gpu_numa.' || substr(lower(d.pci), -12))
	where d.run_id = :run and cast(e.value as integer) >= 0
), rows(process_id, y, label) as (
	select p.id, row_number() over (order by p.rank) - 1, 'rank ' || p.rank from process p
	where p.run_id = :run and p.id in (select process_id from cpu)
), extent as (
	select max(last) as last
	from (select max(n) as last from cpu union all select max(n) from home)
), cell(y, n, value) as (
	select r.y, c.n, case when exists (select 1 from gpu where process_id = c.process_id)
			and not exists (select 1 from gpu g join home h
			on h.node_id = c.node_id and h.n = c.n and h.numa = g.numa
				where g.process_id = c.process_id)
				and exists (select 1 from home where node_id = c.node_id)
		then 3 when u.ranks > 1 then 2 else 1 end
	from cpu c join rows r on r.process_id = c.process_id
		join users u on u.node_id = c.node_id and u.n = c.n
), all_cpus(n) as (
	select 0 union all select n + 1 from all_cpus, extent where n < last
), border(n, numa) as (
	select min(n), numa from home where node_id = (select min(node_id) from home) group by numa
)
select * from (
select 'rows' as "Block|block", (select last from extent) as "CPU|count", y as "Row|count",
	0 as "Value|count", label as "Label" from rows
union all
select 'numa', n, 0, numa, 'NUMA ' || numa from border
union all
select 'numa', null, null, null, null
union all
select 'cells', a.n, r.y, coalesce(c.value, 0), null from rows r cross join all_cpus a
	left join cell c on c.y = r.y and c.n = a.n
) where exists (select 1 from rows)
	order by case "Block|block" when 'rows' then 0 when 'numa' then 1 else 2 end, 3, 2;
