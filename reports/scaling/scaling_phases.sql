-- For tacho scaling: where the largest run lost time against the ideal one.
select phase, round(ref_ns) as reference_ns, round(ns) as largest_ns, round(ideal_ns) as ideal_ns,
	round(lost_ns) as lost_ns, speedup,
	100 * speedup / times as "ideal_%", coalesce(fell, '') as "fell_most"
from scaling_lost order by configuration, "window" <> 'run', lost_ns desc;
