-- Of each side's blocks of consecutive steps the median and the mean time of a step, or of a
-- sample.
with stepped as (
	select s.side, (s.i - z.warm) * z.blocks / (z.steps - z.warm) as block,
		case unit when 'sample' then s.ns / nullif(s.samples, 0) else s.ns end as ns
	from unit cross join side_step s join side_size z using (side)
	where unit <> 'run' and s.i >= z.warm
)
select side as "Side", median(ns) as "median", avg(ns) as "mean" from stepped group by side, block
order by side, block;
