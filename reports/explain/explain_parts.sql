-- Statements of tacho explain, on demand: phases, steps and GPUs.
with spent as (
	select h."window" as w, h.state, sum(h.ns) as ns
	from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" glob 'phase:*' and p.rank is not null group by 1, 2
	order by sum(h.ns) desc
),
shares as (
	select w, group_concat(printf('%s %.0f %%', state, 100.0 * ns / total), ', ') as said
	from (select *, sum(ns) over (partition by w) as total from spent) where ns >= 0.01 *
		total group by w
),
lasted as (
	select n, max(end_ns) - min(start_ns) as ns from step where run_id = :run group by n
),
in_order as (
	select n, ns, row_number() over (order by ns) as place, count(*) over () as steps from
		lasted
)
select 'phase.' || f.name as "Key", 2 as "Level|count", f.ns / 1e9 as "Seconds|number",
	printf('phase %s lasted %.2f s%s: %s', f.name, f.ns / 1e9,
		iif(f.instances > 1, printf(', %,d times together', f.instances), ''),
		coalesce(s.said, 'no state is known')) as "Sentence",
	printf('select h.state, sum(h.ns) / 1e9 as s from host_time h join process p on p.id = '
		|| 'h.process_id where h.run_id = %d and h."window" = %Q and p.rank is not null '
			|| 'group '
		|| 'by h.state order by s desc', :run, 'phase:' || f.name) as "Query"
from phase_all f left join shares s on s.w = 'phase:' || f.name where f.run_id = :run
union all
select 'steps', 2, sum(ns) / 1e9, printf('%,d %ssteps took %.*g ms in the median and %.*g ms at '
	|| 'most '
	|| '(step %d)', max(steps), coalesce((select printf('of %,d ', max(n)) from
		(select sum(steps) as n from step_all where run_id = :run group by process_id)
		having max(n) > (select max(steps) from in_order)), ''),
	max(3, length(max(case when place = (steps + 1) / 2 then ns end) / 1000000)),
	max(case when place = (steps + 1) / 2 then ns end) / 1e6,
	max(3, length(max(ns) / 1000000)), max(ns) / 1e6,
	max(case when place = steps then n end)),
	printf('select n, (max(end_ns) - min(start_ns)) / 1e6 as ms from step where run_id = %d '
		|| 'group '
		|| 'by n order by ms desc', :run)
from in_order having count(*) > 0
union all
select 'gpu.' || id, 2, sum(ns) / 1e9, 'GPU ' || id || ': ' || group_concat(printf('%s %.2f s',
	state,
	ns / 1e9), ', '),
	printf('select state, ns / 1e9 as s from device_time where run_id = %d and device_id = '
		|| '%d and '
		|| '"window" = ''run'' order by s desc', :run, id)
from (select device_id as id, state, ns from device_time where run_id = :run and "window" = 'run'
	order by device_id, ns desc)
group by id;
