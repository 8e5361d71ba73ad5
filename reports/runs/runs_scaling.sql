-- Where the largest run of each configuration lost time against the ideal one.
select phase as "Phase", ref_ns as "Reference|ns|the smallest run of the configuration",
	ns as "Largest|ns|the run on most ranks or GPUs",
	ideal_ns as "Ideal|ns|the reference's time × work ÷ times as many ranks or GPUs",
	lost_ns as "Lost|ns|largest - ideal",
	speedup as "Speed-up|number|reference ÷ largest × work",
	speedup / times as "of ideal|percent", fell
		as "What fell most|text|the factor that fell most from the reference",
	case when fell is null then 'no factor is lower by 2 %' end as "|why"
from scaling_lost order by configuration, "window" <> 'run', lost_ns desc limit 100;
