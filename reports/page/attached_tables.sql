-- needs: trouble_tables
-- What is said first of a run that was recorded from outside (tacho record --pid), in place of the
-- verdict, which is about calls.
--   attached_said	lines of the verdict; none of other runs
create temp table attached_said as
with job as (
	select t.ns, r.nranks as n from run r join run_time t on t.run_id = r.id
	where r.id = :run and exists (select 1 from environment where run_id = :run and scope = ''
		and key = 'TACHO::ATTACHED')
),
-- CPU time of the processes with all threads, and of their main threads
ran as (
	select avg(value) filter (where name = 'cpu') as all_ns,
		avg(value) filter (where name = 'core_ran') as ns from metric
	where run_id = :run and "window" = 'run' and model = 'counters'
		and name in ('cpu', 'core_ran') and subject glob 'rank:*'
),
-- where main threads were longest, of all that was seen of them
lines as (
	select function, file, line, call, sum(ns) as ns, sum(sum(ns)) over () as whole
	from (select o.function, o.file, o.line, s.call, s.ns
		from python_sample s join process p on p.id = s.process_id and p.rank is not null
		join location l on l.id = s.location_id and l.is_main
		left join python_frame f on f.id = s.frame_id
		left join python_frame o on o.id = coalesce(f.own_id, f.id)
		where s.run_id = :run)
	group by function, file, line
),
line as (
	select * from lines where function is not null and ns >= 0.02 * whole
	order by ns desc limit 3
)
select 'verdict' as line, 'note' as level, 'recorded from outside: '
	|| coalesce(printf('a rank used %.2f cores for %.1f s, its main thread %.2f',
		ran.all_ns / job.ns, job.ns / 1e9, ran.ns / job.ns),
		printf('a rank was seen for %.1f s', job.ns / 1e9))
	|| coalesce((select '; main threads were ' || group_concat(printf('%.0f %% in %s() at %s',
			100.0 * ns / whole, function,
			replace(file, rtrim(file, replace(file, '/', '')), ''))
			|| coalesce(':' || line, '') || coalesce(' (' || call || ')', ''), ', ')
		from line), '')
	as sentence
from job left join ran on 1
union all
select 'next', 'note', 'calls, their bytes, messages, steps and GPU kernels cannot be seen from '
	|| 'outside: tacho record -- COMMAND has them from the start'
from job;
