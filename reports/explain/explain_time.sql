-- Statements of tacho explain: where the time of ranks and GPUs went. Where parts of the run are
-- not in detail the totals of all of it count.
with exact as (
	select name as state, value as ns from metric
	where run_id = :run and "window" = 'run' and model = 'exact'
),
spent as (
	select state, ns from exact
	union all
	select h.state, h.ns from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" = 'run' and p.rank is not null
		and (h.state = 'absent' or not exists (select 1 from exact))
),
of_all(key, who, state, ns, query) as (
	select 'time.gpus', 'the GPUs', state, sum(ns),
		printf('select state, sum(ns) / 1e9 as s from '
		|| 'device_time where run_id = %d and "window" = ''run'' group by state order '
			|| 'by s desc',
		:run)
	from device_time where run_id = :run and "window" = 'run' group by state
	union all
	select 'time.ranks', 'the ranks', state, sum(ns), iif(exists (select 1 from exact),
		printf('select name, sum(value) / 1e9 as s from metric where run_id = %d and '
			|| '"window" = '
			|| '''run'' and model = ''exact'' group by name order by s desc', :run),
		printf('select state, sum(ns) / 1e9 as s from host_time h join process p on '
			|| 'p.id = '
			|| 'h.process_id where h.run_id = %d and "window" = ''run'' and p.rank '
				|| 'is not '
			|| 'null group by state order by s desc', :run))
	from spent group by state
)
select key as "Key", 1 as "Level|count", null as "Seconds|number", 'time of ' || who || ': '
	|| group_concat(state || printf(' %.0f %%', 100.0 * ns / total), ', ') as "Sentence",
	query as "Query"
from (select *, sum(ns) over (partition by key) as total from of_all order by key, ns desc)
where ns >= 0.005 * total group by key;
