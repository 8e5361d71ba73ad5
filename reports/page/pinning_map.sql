-- needs: pinning_tables
-- The map of ranks to CPUs: a row per rank, of very many some evenly spaced ones, a column per CPU.
-- Values: 1 the rank's own, 2 shared with other ranks of the node, 3 far from a GPU of the rank,
-- 0 not allowed. Blocks: rows, borders of the first node's NUMA nodes, cells.
with recursive size as (
	select (count(*) + 95) / 96 as w from process
	where run_id = :run and rank is not null and affinity <> ''
), cpu(process_id, node_id, n) as (
	select c.process_id, c.node_id, c.n from pinning_cpu c join process p on p.id = c.process_id
		cross join size where p.rank % w = 0
), rows(process_id, y, label) as (
	select p.id, row_number() over (order by p.rank) - 1, 'rank ' || p.rank from process p
	where p.run_id = :run and p.id in (select process_id from cpu)
), extent as (
	select max(last) as last
	from (select max(n) as last from cpu union all select max(n) from pinning_home)
), cell(y, n, value) as (
	select r.y, c.n, case when exists (select 1 from pinning_gpu
			where process_id = c.process_id and numa is not null)
			and not exists (select 1 from pinning_gpu g join pinning_home h
			on h.node_id = c.node_id and h.n = c.n and h.numa = g.numa
				where g.process_id = c.process_id)
				and exists (select 1 from pinning_home where node_id = c.node_id)
		then 3 when u.ranks > 1 then 2 else 1 end
	from cpu c join rows r on r.process_id = c.process_id
		join pinning_users u on u.node_id = c.node_id and u.n = c.n
), all_cpus(n) as (
	select 0 union all select n + 1 from all_cpus, extent where n < last
), border(n, numa) as (
	select min(n), numa from pinning_home
	where node_id = (select min(node_id) from pinning_home) group by numa
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
