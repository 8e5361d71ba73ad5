-- needs: unseen_tables
-- A row per run: size, time, rate, efficiency.
select s.label as "Run", s.nranks as "Ranks|count", nullif(s.ngpus, 0) as "GPUs|count",
	case when s.ngpus = 0 then 'no GPU was used or recorded'
	when s.nstandins > 0 then 'emulated GPUs: no real GPU was measured' end as "|why",
	s.nnodes as "Nodes|count", s.duration_ns as "Run time|ns",
	s.rate as "Samples/s|number|of the phase with most samples",
	case when s.rate is null then 'the program reported no samples' end as "|why",
	s.rate / nullif(first_value(s.rate) over w, 0)
		as "Speed-up|number|samples/s ÷ those of the configuration's smallest run",
	s.rate / nullif(first_value(s.rate) over w, 0) * first_value(s.units) over w / s.units
		as "of ideal|percent|speed-up ÷ how many times more ranks or GPUs",
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
from study s window w as (partition by s.configuration order by s.units, s.run_id)
order by s.run_id;
