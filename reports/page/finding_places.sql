-- needs: place_tables
-- The place of each finding in the timeline, as findings_top.sql has it for those that cost most.
select n as "#|count", row as "Row", from_ns as "From|count", to_ns as "To|count", state as "State",
	step as "Step|count"
from finding_place order by n;
