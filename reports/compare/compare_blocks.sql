-- Of each side's blocks of consecutive steps the median and the mean time of a step, or of a
-- sample.
select side as "Side", median(ns) as "median", avg(ns) as "mean" from side_time
group by side, block order by side, block;
