-- The whole run as an image: a row per rank and GPU, each bin filled with its states in proportion.
-- Beyond 96 rows neighbours on a node are joined, beyond 96 nodes neighbouring nodes. Blocks: rows,
-- phases, states, pixels (x, y, state).
with recursive state(ord, state) as (values (1, 'useful'), (2, 'io'), (3, 'mpi'), (21, 'gloo'),
	(22, 'mpi_wait'), (23, 'gloo_wait'),
	(4, 'cuda'),
		(5, 'wait'), (6, 'omp_idle'),
	(7, 'compute'), (8, 'nccl_transfer'), (8, 'nccl'), (9, 'nccl_wait'), (10, 'memcpy'),
	(11, 'idle:io_wait'), (12, 'idle:mpi_wait'),
	(13, 'idle:checkpoint'), (14, 'idle:host_compute'), (15, 'idle:host_in_cuda_api'),
	(16, 'idle:wait'),
	(17, 'idle:launch_latency'), (18, 'idle:queued_other'), (19, 'idle:unknown')
), entity(location_id, device_id, rank, ordinal, label, node_id) as (
	select l.id, null, p.rank, -1, 'rank ' || p.rank, p.node_id from location l
		join process p on p.id = l.process_id
	where l.run_id = :run and l.id in (select location_id from timeline where run_id = :run)
	union all
	select null, d.id, o.rank, coalesce(o.ordinal, 0),
		case d.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
		|| coalesce(o.rank || ':', '') || coalesce(o.ordinal, 0), d.node_id
	from device d left join device_owner o on o.device_id = d.id
	where d.run_id = :run and d.id in (select device_id from timeline where run_id = :run)
), size as (
	-- w nodes make a row; or a node makes so many rows that all are 96 at most
	select count(*) as n, (count(distinct node_id) * (1 + (max(ordinal) >= 0)) + 95) / 96 as w,
		max(1, 96 / max(1, count(distinct node_id) * (1 + (max(ordinal) >= 0)))) as per_node
			from entity
), placed as (
	select e.*, dense_rank() over (order by node_id) - 1 as node, ordinal >= 0 as is_device,
		row_number() over (partition by node_id, ordinal >= 0 order by rank, ordinal)
			- 1 as nth,
		count(*) over (partition by node_id, ordinal >= 0) as many from entity e
), numbered as (	-- what is a row, in order
	select p.*, dense_rank() over (order by case when n <= 96 then rank else node / w end,
		case when n <= 96 then ordinal else is_device end,
		case when n <= 96 then 0 else nth * per_node / many end) - 1 as y
	from placed p, size
), rows(y, label, members) as (
	select y, case when n <= 96 then max(label)
			when per_node = 1 then max(case when is_device then 'GPUs of ' else '' end
			|| coalesce((select hostname from node where id = node_id), 'node'))
				|| case when w > 1 then ' …' else '' end
		else case when is_device then 'GPUs ' else '' end || min(rank) || '–'
			|| max(rank) end, count(*)
	from numbered, size group by y
), grid as (
	select max(bin_ns) as ns, (select duration_ns from run where id = :run) / max(bin_ns)
		+ 1 as bins,
		max(1, min(10, 192 / (select count(*) from rows))) as k from timeline
			where run_id = :run
-- in millionths: whole numbers, so that one state begins exactly where another one ends
), share as (
	select r.y, r.members, s.ord, v.key * t.bin_ns / g.ns as bin,
		cast(1e3 * sum(v.value * t.bin_ns) / (r.members * g.ns) as integer) as share
	from timeline t join grid g join numbered e on t.location_id = e.location_id
		or t.device_id = e.device_id
		join rows r on r.y = e.y join state s on s.state = t.state
		join json_each(t.shares) v
	where t.run_id = :run group by r.y, s.ord, v.key * t.bin_ns / g.ns
), bin(bin) as (
	select 0 union all select bin + 1 from bin, grid where bin + 1 < bins
), part(y, bin, ord, share) as (
	select y, bin, ord, share from share where share > 0 union all select y, bin, 20, 2000000
	from rows, bin
), until as (
	select y, bin, ord, share, sum(share) over w as high from part
	window w as (partition by y, bin order by ord = 20, ord)
), sub(i) as (
	select 0 union all select i + 1 from sub, grid where i + 1 < k
)
select * from (
select 'pixels' as "Block|block", (u.bin + 0.5) * g.ns / 1e9 as "Second|number",
	u.y + (i + 0.5) / k - 0.5 as "Row|number",
	-- a gap between rows
	case when k > 3 and i = k - 1 then 20 else u.ord end as "State|count", null as "Label"
from until u, grid g, sub
where (i + 0.5) / (k - (k > 3)) * 1000000 + 4000 < u.high
	and (i + 0.5) / (k - (k > 3)) * 1000000 + 4000 >= u.high - u.share
union all
select 'rows', bins * ns / 1e9, y, k, label from rows, grid
union all
select 'states', 0, 0, ord, null from share, grid group by ord	-- those that can be seen
having sum(share) > 2000 * max(bins) * (select count(*) from rows) or ord = 1
union all
select 'phases', first / 1e9, last / 1e9, instance, name from (
	select name, instance, min(start_ns) as first, max(end_ns) as last from phase
	where run_id = :run group by name, instance
	order by first limit 60)
union all
select 'phases', null, null, null, null
) where exists (select 1 from rows)
	order by case "Block|block" when 'rows' then 0 when 'phases' then 1 when 'states' then 2
	else 3 end, 3, 2, 4;
