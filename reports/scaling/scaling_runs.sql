-- For tacho scaling: a row per run, of its whole time.
select s.label as run, t.nranks as ranks, t.ngpus as gpus, t.nnodes as nodes,
	round(s.ns) as time_ns, round(t.rate, 1) as "samples/s", m.samples / m.steps as batch,
	s.speedup, 100 * s.speedup / s.times as "ideal_%",
	s.parallel * s.computation * coalesce(s.core, 1) as global, s.parallel, s.computation,
	s.core,
	100 * (select value from metric m where m.run_id = s.run_id and m."window" = 'run'
			and m.name = 'mfu') as "mfu_%",
	100 * (select max(value) from metric m where m.run_id = s.run_id and m."window" = 'run'
			and m.model = 'counters' and m.name = 'without_core') as "no_core_%",
	case when s.refused then 'speed-up: ' || (select why from scaling_refused) end as note
from scaled s join study t on t.run_id = s.run_id
	left join study_samples m on m.run_id = s.run_id and m.nth = 1
where s."window" = 'run' order by s.configuration, s.units, s.run_id;
