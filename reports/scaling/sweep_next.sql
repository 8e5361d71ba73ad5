-- One row, a sentence: what the first finding of a run advises.
select printf('%s (it would save %.2g of %.3g s)', coalesce(f.advice, f.message), f.seconds,
	r.duration_ns / 1e9) as "Sentence"
from finding f join run r on r.id = f.run_id
where f.run_id = :run and f.seconds > 0 and f.advice is not null
order by f.seconds desc limit 1;
