-- The laws of the whole run and of phases.
select phase as "Phase", law
	as "Law|text|Amdahl: fixed work; Gustafson: it grows; USL: universal scalability law",
	what as "Share",
	value as "Value|percent", error as "±|percent|95 % confidence",
	case when value is null then means when error is null then 'too few runs' end as "|why",
	coalesce(means, '') as "Means"
from scaling_law order by configuration, "window" <> 'run', "window", nth limit 100;
