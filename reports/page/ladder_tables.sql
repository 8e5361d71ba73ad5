-- The causes of the run's step time in words, the one that saves most first.
create temp table ladder as
select n, case part when 'sleep' then 'sleep' when 'readers' then 'waiting for loaders'
		when 'wait' then 'waiting' when 'io' then 'I/O' when 'omp_idle' then 'idle threads'
		when 'compute' then 'more computing' when 'calls' then 'more transfers or copies'
		when 'sleep_outside' then 'sleep outside of steps'
		when 'more_outside' then 'more to do outside of steps'
		else replace(part, '_', ' ') end
	|| ' of rank' || case when nranks > 1 then 's ' else ' ' end || ranks as cause,
	part, place, steps, first_step, last_step, takes_ns, saves_ns
from cause where run_id = :run;
