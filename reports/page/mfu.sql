-- MFU: floating-point operations of the training, as they were given or as the program says, as a
-- share of what GPUs (ranks, where there are none) could have done by the peak that was given, or
-- that of a data sheet or as measured.
with given as (
	select max(case key when 'TACHO::FLOPS_PER_SAMPLE' then cast(value as real) end)
			as a_sample,
		max(case key when 'TACHO::FLOPS_PER_STEP' then cast(value as real) end) as a_step,
		max(case key when 'TACHO::PEAK_FLOPS' then cast(value as real) end) as peak,
		max(case key when 'TACHO::PEAK_FLOPS_OF' then value end) as rests
	from environment where run_id = :run and scope = ''
)
select case m."window" when 'run' then 'run' else substr(m."window", 7) end as "Window",
	m.value as "MFU|percent|operations of the training ÷ (time × peak)",
	m.flag as "|why",
	m.value * g.peak / 1e12 as "Reached|number|TFLOP/s, of each GPU (rank, without GPUs)",
	m.flag as "|why",
	g.peak / 1e12 as "Peak|number|TFLOP/s, of each",
	coalesce(g.rests, case when g.peak > 0 then 'as given' end) as "Peak is",
	g.a_sample / 1e9
		as "A sample|number|GFLOP, forward and backward, as given or by the program",
	g.a_step / 1e9 as "A step|number|GFLOP, of all ranks, where samples are not known",
	'it was not given' as "*|why"
from metric m join given g where m.run_id = :run and m.name = 'mfu'
order by m."window" <> 'run', m."window" limit 300;
