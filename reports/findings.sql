-- What to change, most seconds saved first. Notes on quality save nothing.
select rank as "#|count", case when seconds > 0 then seconds * 1e9 end
	as "Saves|ns|of the run's time, by the replay or the model that 'How sure' names",
	case when seconds = 0 then 'it makes the others uncertain' end as "|why",
	message as "Finding", advice as "Advice", confidence as "How sure",
	evidence as "Evidence|path|a query on tacho.db whose rows prove it"
from finding where run_id = :run order by rank;
