-- needs: unseen_tables
-- A row per run: size, time, rate, efficiency.
select s.label as "Run", s.nranks as "Ranks|count", nullif(s.ngpus, 0) as "GPUs|count",
	case when s.ngpus = 0 then 'no GPU was used or recorded'
	when s.nstandins > 0 then 'emulated GPUs: no real GPU was measured' end as "|why",
	s.nnodes as "Nodes|count", s.duration_ns as "Run time|ns",
	s.rate as "Samples/s|number|of the phase with most samples",
	case when s.rate is null then 'the program reported no samples' end as "|why",
	c.speedup as "Speed-up|number|time of the smallest run ÷ time × work, as in tacho scaling",
	case when not s.counts then 'a repetition: the run of median time represents its size'
		when c.run_id is null then 'no run of another size is of its configuration'
		when c.refused then (select why from scaling_refused) end as "|why",
	c.speedup / c.times as "of ideal|percent|speed-up ÷ how many times more ranks or GPUs",
	case when not s.counts then 'a repetition: the run of median time represents its size'
		when c.run_id is null then 'no run of another size is of its configuration'
		when c.refused then (select why from scaling_refused) end as "|why",
	(select value from metric m where m.run_id = s.run_id and m."window" = 'run'
			and m.model = 'device'
		and m.name = 'device_parallel_efficiency' and m.subject = '')
			as "GPU efficiency|efficiency|device parallel efficiency",
	(select value from metric m where m.run_id = s.run_id and m."window" = 'run'
			and m.model = 'mpi'
		and m.name = 'parallel_efficiency' and m.subject = ''
		and m.run_id not in (select run_id from unseen))
			as "MPI efficiency|efficiency|MPI parallel efficiency",
	case s.cut when 1 then 'truncated' else 'complete' end as "End",
	'there is no such figure' as "*|why"
from study s left join scaled c on c.run_id = s.run_id and c."window" = 'run'
order by s.run_id;
