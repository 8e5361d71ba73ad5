-- Share of each step in which a GPU computed: busy_share of the window step:N. At most 1000
-- columns and 256 rows, neighbours averaged; a row is a GPU by rank and number.
with recursive gpu as materialized (
	select d.id, coalesce(o.rank || ':' || o.ordinal, d.id)
		|| case d.kind when 'stand-in' then ' (emulated)' else '' end as name,
		row_number() over (order by o.rank is null, o.rank, o.ordinal, d.id) - 1 as place,
		count(*) over () as many
	from device d left join device_owner o on o.device_id = d.id where d.run_id = :run
), size as (
	select max(1, (max(last) - min(first) + 1000) / 1000) as w,
		max(1, ((select max(many) from gpu) + 255) / 256) as h,
		min(first) as first, max(last) as last, (select min(id) from gpu) as least
	from (select (select min(n) from step where run_id = :run and process_id = p.id) as first,
		(select max(n) from step where run_id = :run and process_id = p.id) as last
			from process p where p.run_id = :run)
), windows(name) as (	-- of steps, in the order of the key
	select min("window") from device_time where run_id = :run and "window" >= 'step:'
		and "window" < 'step;'
	union all
	select (select min("window") from device_time
			where run_id = :run and "window" > name and "window" < 'step;') from windows
	where name is not null
), step_window as materialized (
	select cast(substr(name, 6) as integer) / w as place, name from windows, size
	where name is not null
), columns(n) as (	-- an image has all its pixels
	select first / w * w from size where last > first + 3 and exists (select 1 from step_window)
	union all select n + w from columns, size where n + w <= last
), column as materialized (	-- a column's time by GPU and state
	select x.n, (
		select sums(t.device_id - least, t.state, t.ns) from step_window s
			cross join device_time t
		where s.place = x.n / w and t.run_id = :run and t."window" = s.name) as spent
	from columns x cross join size
), joined as materialized (	-- the same by row; null: all states
	select x.n, (
		select sums(g.place / h, coalesce(s.state, 'all'),
				sum_of(x.spent, g.id - least, s.state))
		from gpu g cross join (select 'compute' as state
				union all values ('nccl_wait'), ('nccl_transfer'), ('memcpy'),
				(null)) s) as spent
	from column x cross join size
), cell as (
	select g.place, g.name, x.n, x.spent, g.place / h as row,
		nullif(sum_of(x.spent, g.place / h, 'all'), 0) as ns
	from gpu g cross join joined x cross join size where g.place % h = 0
)
select place as "Row|count", name as "GPU, as rank:number|text", n as "Step|count",
	sum_of(spent, row, 'compute') / ns as "Computing|number",
	(sum_of(spent, row, 'nccl_wait') + sum_of(spent, row, 'nccl_transfer')) / ns
		as "NCCL alone|number",
	sum_of(spent, row, 'memcpy') / ns as "Copies alone|number"
from cell order by 1, 3;
