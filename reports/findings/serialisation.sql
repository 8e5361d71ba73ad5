-- On a network that costs nothing the run takes longer than any rank works: ranks wait for each
-- other in turns, as who has most to do changes from step to step, or as they work one after the
-- other. The ladder (table cause) and other rules have a part of those waits, which is taken off,
-- and so are MPI's own begin and end. The part of ranks with more to do is what goes beyond the
-- run's whole imbalance, which is no part of this: one rank may be it in one phase, and another
-- in the next. Where ranks lack cores that comes and goes; healthy runs have up to 6 %.
with ideal as (
	select value as ns from metric where run_id = :run and "window" = 'run'
		and model = 'mpi' and name = 'ideal_network_runtime' and subject = ''
		and flag is null
), works as (
	select max(ns) as ns, max(ns) - avg(ns) as uneven
	from (select sum(h.ns) as ns from host_time h join process p on p.id = h.process_id
		where h.run_id = :run and h."window" = 'run' and h.state not in ('mpi', 'gloo')
			and p.rank is not null group by p.id)
), ends as (	-- the last to come to MPI_Finalize waits for nobody there
	select total(case when c.name = 'MPI_Finalize' then 0 else c.total_ns end) / (select nranks
			from finding_run)
		+ coalesce(min(case when c.name = 'MPI_Finalize' then c.total_ns end), 0) as ns
	from finding_run r join process p on p.run_id = r.run_id and p.rank is not null
		join call c on c.run_id = r.run_id and c.process_id = p.id
		and (c.name like 'MPI\_Init%' escape '\' or c.name = 'MPI_Finalize')
), named as (
	select total(case when f.rule in ('blocking_checkpoint', 'without_core', 'input_storage',
				'input_preparing',
			'input_between_steps', 'output_between_steps') then f.seconds end)
				* 1e9 as ns,
		-- seconds more than those of an average rank
		total(case when f.rule = 'serial_phase'
			then f.seconds end) * 1e9 + (select total(c.saves_ns
				- iif(c.part = 'more_outside', 0, 1.0 * c.own_ns
				* c.nranks / r.nranks)) from cause c
				where c.run_id = :run) as uneven
	from finding_run r left join temp.found f
), lost as (
	select i.ns - w.ns - e.ns - t.ns - max(0, t.uneven - w.uneven) as ns, w.ns as works
	from ideal i, works w, ends e, named t
)
select l.ns / 1e9 as seconds, l.ns / 1e7 / r.seconds_all as percent
from lost l, finding_run r, finding_core c
where r.nranks > 1 and l.ns >= :some * 1e9 * r.seconds_all
	and l.works >= :works_least * 1e9 * r.seconds_all
	and c.without < :crowded
	and not exists (select 1 from finding_gpu)
	and not exists (select 1 from checks where run_id = r.run_id
			and name in ('causality', 'messages_match', 'collectives_complete')
			and not ok);
