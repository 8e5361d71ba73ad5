-- The most memory of each GPU that a rank's process held at once. Its course over time is in the
-- timeline.
select 'rank ' || p.rank as "Rank",
	'GPU ' || cast(substr(m.subject, 6 + length(p.rank)) as integer) as "GPU",
	m.value as "Held, most|bytes|at once: by cudaMalloc and its siblings, and from pools",
	m.flag as "|why"
from metric m join process p on p.run_id = m.run_id
	and p.rank = cast(substr(m.subject, 5) as integer)
where m.run_id = :run and m."window" = 'run' and m.model = 'device'
	and m.name = 'memory_held_peak'
order by p.rank, m.subject limit 300;
