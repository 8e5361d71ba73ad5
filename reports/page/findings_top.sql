-- needs: place_tables
-- The findings that cost most, each with its place in the timeline: a row, a range of time, what
-- to look for, a step that is there in full. NULL: all of the run.
select f.n as "#|count", f.seconds * 1e9 as "Saves|ns", coalesce(brief, message) as "Finding",
	f.is_bound as "Bound|count", p.row as "Row", p.from_ns as "From|count",
	p.to_ns as "To|count", p.state as "State", p.step as "Step|count"
from finding f left join finding_place p on p.n = f.n
where f.run_id = :run and f.seconds > 0 order by f.n limit 3;
