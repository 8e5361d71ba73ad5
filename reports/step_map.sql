-- Step time by rank and step; at most 1000 columns and 256 rows, neighbours averaged.
with recursive size as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w,
		max(1, ((select max(rank) from process where run_id = :run) + 256) / 256) as h
	from step where run_id = :run
), s as materialized (
	select p.rank, s.n, f.name as phase, s.end_ns - s.start_ns as ns
	from step s join process p on p.id = s.process_id left join phase f on f.id = s.phase_id
	where s.run_id = :run and s.cut = 0 and p.rank is not null
), middle as materialized (
	select phase, ns as median from (
		select phase, ns, row_number() over (partition by phase order by ns) as nth, count(*) over (partition by phase) as many from s
	) where nth = (many + 1) / 2
), cell as (
	select rank / h * h as rank, n / w * w as n, avg(ns) / 1e6 as ms, avg(1.0 * ns / nullif(median, 0)) as slower
	from s join middle m on m.phase is s.phase, size
	where (select max(rank) > min(rank) and max(n) > min(n) + 3 from s) group by rank / h, s.n / w
), columns(n, last) as (	-- an image has all its pixels, also those of steps that nobody or not everybody had
	select min(n), max(n) from cell having max(n) is not null union all select n + w, last from columns, size where n + w <= last
)
select r.rank as "Rank|count", x.n as "Step|count", c.ms as "Step time (ms)|number", c.slower as "÷ median of the phase|number"
from columns x cross join (select distinct rank from cell) r left join cell c on c.rank = r.rank and c.n = x.n
order by 1, 2;
