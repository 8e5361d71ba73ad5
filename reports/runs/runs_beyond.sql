-- The laws and POP's factors at twice and four times the largest size.
select configuration as "Configuration", units as "Ranks or GPUs|count", what as "Figure",
	value as "Value|number", low as "from|number|95 % confidence of the fit",
	case when low is null then 'too few runs' end as "|why",
	high as "to|number", case when low is null then 'too few runs' end as "|why",
	coalesce(bound, '')
		as "Bound first by||phase that would lose most against an ideal run, by its own law"
from scaling_beyond order by configuration, is_factor, what, units limit 100;
