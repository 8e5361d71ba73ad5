-- Calls and kernels whose time per step (sample, run) changed by more than 1 % of it, most first:
-- of all threads of a rank or streams of a device, over the whole run, mean over ranks or devices.
-- Left out are calls that begin and end MPI, markers, and those that only wait, as helper threads
-- are in them for ever.
with counted as (
	select 'call' as kind, h.side, c.name, sum(c.calls) * 1.0 / s.nranks / h.units as calls,
		sum(c.total_ns) * 1.0 / s.nranks / h.units as ns
	from share h join study s on s.run_id = h.run_id join call c on c.run_id = h.run_id
	where c.class not in ('user', 'wait') and c.name not glob 'MPI_Init*'
		and c.name <> 'MPI_Finalize' and s.nranks > 0
	group by h.side, c.name
	union all
	select 'kernel', h.side, k.name, sum(k.calls) * 1.0 / s.ngpus / h.units,
		sum(k.total_ns) * 1.0 / s.ngpus / h.units
	from share h join study s on s.run_id = h.run_id join kernel k on k.run_id = h.run_id
	where s.ngpus > 0 group by h.side, k.name
), joined as (
	select kind, name, max(case side when 1 then calls end) as base_calls,
		max(case side when 2 then calls end) as new_calls,
		max(case side when 1 then ns end) as base, max(case side when 2 then ns end) as new
	from counted group by kind, name
)
select kind, name, base_calls, new_calls, base as base_ns, new as new_ns,
	coalesce(new, 0) - coalesce(base, 0) as difference_ns,
	case when base is null then 'new' when new is null then 'gone' end as state
from joined where abs(coalesce(new, 0) - coalesce(base, 0)) > 0.01 * (select ns / units from share
		where side = 1)
order by abs(difference_ns) desc, kind, name limit 10;
