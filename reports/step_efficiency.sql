-- needs: step_tables
-- Share of each rank's step that it did not spend waiting for other ranks in MPI; cells as in
-- step_map.
with recursive size as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w, min(n) as first, max(n) as last,
		max(1, ((select max(rank) from process where run_id = :run) + 256) / 256) as h
	from step_of_ranks where ranks > 0
), columns(n) as (
	select first / w * w from size where first is not null union all select n + w
	from columns, size where n + w <= last
), member as materialized (
	select rank / h * h as rank, id from process, size where run_id = :run and rank is not null
), rows as materialized (
	select distinct rank from member m
	where exists (select 1 from step where run_id = :run and process_id = m.id and cut = 0
			and waited_ns is not null)
)
select r.rank as "Rank|count", x.n as "Step|count",
	(select 1.0 - 1.0 * sum(s.waited_ns) / nullif(sum(s.end_ns - s.start_ns), 0) from member p
			cross join step s
		where p.rank = r.rank and s.run_id = :run and s.process_id = p.id and s.n >= x.n
			and s.n < x.n + w and s.cut = 0 and s.waited_ns is not null)
			as "Not waiting|number"
from rows r cross join columns x cross join size
where (select count(*) from rows) > 1 and last > first + 3 order by 1, 2;
