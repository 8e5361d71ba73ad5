-- needs: runs_differences
-- What the two runs do not have in common: sizes, batch, devices, precision as far as
-- kernel names show it, command, environment.
with tensor as (
	select p.side, round(100.0 * sum(k.total_ns) filter (where k.tensor_core = 1)
			/ sum(k.total_ns)) || ' % of the time' as share
	from pair p join kernel k on k.run_id = p.run_id where k.tensor_core is not null
	group by p.side
), environs as (
	select side, key, group_concat(value, ', ') as value
	from (select p.side, t.key, t.value from pair p join setting t using (run_id)
			order by p.side, t.key, t.value) group by side, key
), item(ord, what, side, value) as (
	select 1, 'ranks', side, nranks from pair join study using (run_id)
	union all
	select 2, 'GPUs', side, ngpus from pair join study using (run_id)
	union all
	select 3, 'nodes', side, nnodes from pair join study using (run_id)
	union all
	select 5, 'samples per step', side, printf('%g', batch) from side_size
	where batch is not null
	union all
	select 6, 'phase', side, phase from side
	union all
	select 7, 'kernels on tensor cores', side, share from tensor
	union all
	select 8, 'command', side, r.command from pair p join run r on r.id = p.run_id
	union all
	select case when key = 'devices' then 4 else 9 + (key like 'var.%') end, key, side, value
	from environs where key <> 'TACHO::COMMAND'
)
select what, max(case side when 1 then value end) as base,
	max(case side when 2 then value end) as new from item group by ord, what
having max(case side when 1 then value end) is not max(case side when 2 then value end)
	order by ord, what limit 400;
