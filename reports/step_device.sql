-- Share of each step in which a GPU computed: busy_share of the window step:N. As step_map, 1000 columns and 256 rows;
-- a row is a GPU by rank and number.
with recursive gpu as materialized (
	select d.id, coalesce(o.rank || ':' || o.ordinal, d.id) || case d.kind when 'stand-in' then ' (stand-in)' else '' end as name,
		row_number() over (order by o.rank is null, o.rank, o.ordinal, d.id) - 1 as place, count(*) over () as many
	from device d left join device_owner o on o.device_id = d.id where d.run_id = :run
), size as (
	select max(1, (max(last) - min(first) + 1000) / 1000) as w, max(1, ((select max(many) from gpu) + 255) / 256) as h,
		min(first) as first, max(last) as last
	from (select (select min(n) from step where run_id = :run and process_id = p.id) as first,
		(select max(n) from step where run_id = :run and process_id = p.id) as last from process p where p.run_id = :run)
), inside(i) as (	-- steps of a column, counted from its first
	select 0 union all select i + 1 from inside, size where i + 1 < w
), columns(n) as (	-- as in step_map
	select first / w * w from size where last > first + 3 and exists (select 1 from device_time
		where run_id = :run and "window" >= 'step:' and "window" < 'step;')
	union all select n + w from columns, size where n + w <= last
), cell as materialized (	-- three figures in one reading
	select g.place, g.name, x.n, (
		select json_array(1.0 * total(t.ns) filter (where t.state = 'compute') / nullif(sum(t.ns), 0),
			total(t.ns) filter (where t.state in ('nccl_wait', 'nccl_transfer')) / nullif(sum(t.ns), 0),
			total(t.ns) filter (where t.state = 'memcpy') / nullif(sum(t.ns), 0))
		from gpu m cross join inside cross join device_time t
		where m.place >= g.place and m.place < g.place + h and t.run_id = :run and t."window" = 'step:' || (x.n + i) and t.device_id = m.id) as figures
	from columns x cross join gpu g cross join size where g.place % h = 0	-- in the order of the key
)
select place as "Row|count", name as "GPU, as rank:number|text", n as "Step|count", json_extract(figures, '$[0]') as "Computing|number",
	json_extract(figures, '$[1]') as "NCCL alone|number", json_extract(figures, '$[2]') as "Copies alone|number"
from cell order by 1, 3;
