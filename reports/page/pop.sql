-- needs: unseen_tables
-- The efficiency hierarchy: a row per figure, a column per phase. The view `figure`
-- lists them, those of GPUs first; figures that the run has not are left out.
with spans as (
	select name, ns, first_ns as first from phase_all where run_id = :run
), windows as (
	select 'run' as w, 'run' as label, 0 as ord
	union all
	select 'active', 'MPI_Init to MPI_Finalize', 0.5 from run where id = :run and exists (
		select 1 from metric where run_id = :run and "window" = 'active')
	union all
	select 'phase:' || name, name, row_number() over (order by first)
	from (select name, first from spans order by ns desc limit 9)
), shown as (
	select distinct f.* from figure f join metric m on m.run_id = :run and m."window" = 'run'
		and m.model = f.model and m.name = f.name and m.subject = ''
	where (f.name <> 'device_offload_efficiency' or exists (	-- without GPUs it is 1
			select 1 from device where run_id = :run))
		and not exists (select 1 from environment where run_id = :run and scope = ''
			and key = 'TACHO::ATTACHED')	-- without calls there is none
)
select replace(f.label, 'MPI', c.name) as "Figure", f.depth as "Depth|count",
	replace(f.meaning, 'MPI', c.name) as "Meaning",
	w.label as "Window", case when u.run_id is null then m.value end as "Value|efficiency",
	case when u.run_id is null then m.flag else 'no MPI or NCCL call of the ranks was seen' end
		as "Reason|why",
	f.model as "Model", f.name as "Name", c.name as "Network"
from shown f cross join windows w cross join communication c on c.run_id = :run
	left join metric m on m.run_id = :run and m."window" = w.w and m.model = f.model
		and m.name = f.name and m.subject = ''
	left join unseen u on u.run_id = :run
	and (f.model = 'mpi' or f.name = 'mpi_parallel_efficiency')
order by f.model not in ('device', 'replay'), f.ord, w.ord;
