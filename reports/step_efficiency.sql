-- Share of each rank's step that it did not spend waiting for other ranks in MPI; as step_map, 1000 columns and 256 rows.
with recursive size as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w,
		max(1, ((select max(rank) from process where run_id = :run) + 256) / 256) as h
	from step where run_id = :run
), measured as (
	select p.rank, s.n, s.end_ns - s.start_ns as ns, s.waited_ns, max(p.rank) over () - min(p.rank) over () as ranks,
		max(s.n) over () - min(s.n) over () as steps
	from step s join process p on p.id = s.process_id
	where s.run_id = :run and s.cut = 0 and p.rank is not null and s.waited_ns is not null
), cell as (
	select rank / h * h as rank, n / w * w as n, 1.0 - 1.0 * sum(waited_ns) / nullif(sum(ns), 0) as share
	from measured, size where ranks > 0 and steps > 3 group by rank / h, n / w
), columns(n, last) as (	-- as in step_map
	select min(n), max(n) from cell having max(n) is not null union all select n + w, last from columns, size where n + w <= last
)
select r.rank as "Rank|count", x.n as "Step|count", c.share as "Not waiting|number"
from columns x cross join (select distinct rank from cell) r left join cell c on c.rank = r.rank and c.n = x.n
order by 1, 2;
