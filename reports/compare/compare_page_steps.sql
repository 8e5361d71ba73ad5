-- The share of steps (samples) by their time, base and new, in 40 classes from the 1st to the 99th
-- percentile of both; and first the interval that the new median lies in, as a band.
with recursive stepped as (
	select s.side, s.ns / case unit when 'sample' then nullif(s.samples, 0) else 1 end / 1e6
		as ms
	from unit cross join side_step s join side_size z using (side)
	where unit <> 'run' and s.i >= z.warm
), nth as (
	select ms, row_number() over (order by ms) as n, count(*) over () as many from stepped
), edge as (
	select min(ms) filter (where n >= many * 0.01) as low,
		max(ms) filter (where n <= many * 0.99 + 1) as high from nth
), width as (
	select low, max((high - low) / 40, 1e-6) as w from edge
), counted as (
	select side, max(0, min(39, cast((ms - low) / w as integer))) as class, count(*) * 1.0
		/ sum(count(*)) over (partition by side) as share
	from stepped cross join width group by side, 2
)
select 'new median, 95 in 100' as "Runs|block", (c.low + c.high) / 2e6 as "Time (ms)|number",
	100 * (select max(share) from counted) as "Steps (%)|number",
	max(c.high - c.low, c.base / 1000) / 1e6 as "Width (ms)|number"
from compared_change c where exists (select 1 from counted)
union all
select * from (select t.label, low + (0.5 + class) * w, 100 * share, w
	from counted c join pair p using (side) join study t on t.run_id = p.run_id cross join width
	order by side, class);
