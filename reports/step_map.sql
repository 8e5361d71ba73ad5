-- needs: step_tables
-- Step time by rank and step; at most 1000 columns and 256 rows, neighbours averaged. Each cell
-- reads its own steps, in the order of their key: nothing is sorted.
with recursive size as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w, min(n) as first, max(n) as last,
		max(1, ((select max(rank) from process where run_id = :run) + 256) / 256) as h
	from step_of_ranks where ranks > 0
-- an image has all its pixels, also those of steps that nobody or not everybody had
), columns(n) as (
	select first / w * w from size where first is not null union all select n + w
	from columns, size where n + w <= last
), member as materialized (	-- of a row
	select rank / h * h as rank, id from process, size where run_id = :run and rank is not null
), rows as materialized (
	select distinct rank from member m
	where exists (select 1 from step where run_id = :run and process_id = m.id and cut = 0)
), cell as materialized (	-- two figures in one reading
	select r.rank, x.n,
		(select json_array(avg(s.end_ns - s.start_ns) / 1e6,
					avg((s.end_ns - s.start_ns) / nullif(m.ns, 0)))
			from member p cross join step s left join phase_median m
				on m.id = coalesce(s.phase_id, 0)
			where p.rank = r.rank and s.run_id = :run and s.process_id = p.id
				and s.n >= x.n and s.n < x.n + w and s.cut = 0) as figures
	from rows r cross join columns x cross join size
)
select rank as "Rank|count", n as "Step|count",
	json_extract(figures, '$[0]') as "Step time (ms)|number",
	json_extract(figures, '$[1]') as "÷ median of the phase|number"
from cell where (select count(*) from rows) > 1 and (select last > first + 3 from size)
order by 1, 2;
