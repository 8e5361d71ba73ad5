-- Share of each step in which a GPU computed: busy_share of the window step:N. As step_map, 1000 columns and 256 rows;
-- a row is a GPU by rank and number.
with recursive gpu as (
	select d.id, coalesce(o.rank || ':' || o.ordinal, d.id) || case d.kind when 'stand-in' then ' (stand-in)' else '' end as name,
		row_number() over (order by o.rank is null, o.rank, o.ordinal, d.id) - 1 as place, count(*) over () as many
	from device d left join device_owner o on o.device_id = d.id where d.run_id = :run
), size as (
	select max(1, (max(last) - min(first) + 1000) / 1000) as w, max(1, ((select max(many) from gpu) + 255) / 256) as h,
		max(last) - min(first) as steps
	from (select (select min(n) from step where run_id = :run and process_id = p.id) as first,
		(select max(n) from step where run_id = :run and process_id = p.id) as last from process p where p.run_id = :run)
), measured as (
	select g.place, g.name, cast(substr(t."window", 6) as integer) as n, sum(t.ns) as ns,
		sum(case when t.state = 'compute' then t.ns else 0 end) as compute,
		sum(case when t.state glob 'nccl_*' then t.ns else 0 end) as nccl,
		sum(case when t.state = 'memcpy' then t.ns else 0 end) as copies
	from device_time t join gpu g on g.id = t.device_id
	where t.run_id = :run and t."window" >= 'step:' and t."window" < 'step;'
	group by t.device_id, t."window"
), cell as (
	select place / h * h as place, n / w * w as n, 1.0 * sum(compute) / nullif(sum(ns), 0) as compute,
		1.0 * sum(nccl) / nullif(sum(ns), 0) as nccl, 1.0 * sum(copies) / nullif(sum(ns), 0) as copies
	from measured, size where steps > 3 group by place / h, n / w
), columns(n, last) as (	-- as in step_map
	select min(n), max(n) from cell having max(n) is not null union all select n + w, last from columns, size where n + w <= last
)
select g.place as "Row|count", g.name as "GPU, as rank:number|text", x.n as "Step|count", c.compute as "Computing|number",
	c.nccl as "NCCL alone|number", c.copies as "Copies alone|number"
from columns x cross join size cross join gpu g left join cell c on c.place = g.place and c.n = x.n
where g.place % h = 0 order by 1, 3;
