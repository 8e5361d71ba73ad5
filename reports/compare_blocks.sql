-- Of each side's blocks of consecutive steps the median time of a step, or of a sample.
select s.side as "Side", (s.i - z.warm) * z.blocks / (z.steps - z.warm) as "Block",
	median(case unit when 'sample' then s.ns / nullif(s.samples, 0) else s.ns end) as "ns"
from unit cross join side_step s join side_size z using (side) where unit <> 'run' and s.i >= z.warm
group by s.side, 2 order by s.side, 2;
