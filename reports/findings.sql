-- What to change, most seconds saved first.
select rank as "#|count", seconds * 1e9 as "Saves|ns", message as "Finding", advice as "Advice",
	confidence as "How sure", evidence as "Evidence|path"
from finding where run_id = :run order by rank;
