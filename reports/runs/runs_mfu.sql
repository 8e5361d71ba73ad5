-- MFU of each whole run, where one has it, and of which peak.
select s.label as "Run", m.value as "MFU|percent|operations of the training ÷ (time × peak)",
	m.flag as "|why",
	(select cast(value as real) / 1e12 from environment e where e.run_id = s.run_id
			and e.scope = '' and e.key = 'TACHO::PEAK_FLOPS')
		as "Peak|number|TFLOP/s, of each GPU (rank, without GPUs)",
	coalesce((select value from environment e where e.run_id = s.run_id and e.scope = ''
			and e.key = 'TACHO::PEAK_FLOPS_OF'), 'as given') as "Peak is",
	'it was not given' as "*|why"
from study s left join metric m on m.run_id = s.run_id and m."window" = 'run' and m.name = 'mfu'
where exists (select 1 from metric where name = 'mfu' and value is not null)
order by s.run_id limit 300;
