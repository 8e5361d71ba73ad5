-- The findings that save most, five per run.
select s.label as "Run", f.n as "#|count",
	case when f.seconds > 0 then f.seconds * 1e9 end as "Saves|ns|of that run's time",
	case when f.seconds = 0 then 'it makes the others uncertain' end as "|why",
	f.message as "Finding", f.advice as "Advice"
from finding f join study s on s.run_id = f.run_id where f.n <= 5 order by s.run_id, f.n;
