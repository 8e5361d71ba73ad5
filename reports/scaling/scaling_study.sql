-- For tacho scaling: a row per study.
select s.configuration as study, count(*) as runs,
	min(s.units) || ' to ' || max(s.units) || case when max(t.ngpus) > 0 then ' GPUs'
		else ' ranks' end as sizes,
	(select label from study where run_id = s.ref) as reference,
	case when max(abs(s.work - 1)) < 0.05 then 'strong'
			when max(abs(s.work / s.times - 1)) < 0.05
		then 'weak' else 'per sample' end as scaling,
		case when (select rule from scaling_rule) <> 'auto' then 'as given'
			when count(s.by_samples) = 0
		then 'no samples were marked: the same work is assumed (--weak)'
			when count(s.by_samples) < count(*)
		then 'not all runs marked samples: of those that did not, the '
			|| 'same work is assumed (--weak)' when max(abs(s.work - 1)) < 0.05
			then 'as many samples in all runs'
		when max(abs(s.work / s.times - 1)) < 0.05 then 'samples grow with the size'
		else 'numbers of samples differ' end as "work"
from scaled s join study t on t.run_id = s.run_id where s."window" = 'run' group by s.configuration;
