-- Ranks were stopped as a whole: nothing of them ran, and who waits for them waits meanwhile. While
-- one is, the run gets no further.
select sum(s.till_ns - s.from_ns) / 1e9 as seconds, count(*) as times,
	min(s.from_ns) / 1e9 as since, max(s.till_ns) / 1e9 as till,
	case when count(*) = 1 then 'once' end as message, w.ranks,
	case when w.ranks = 1 then w.rank end as rank, w.longest / 1e9 as longest
from finding_stopping s, (
	select count(*) as ranks, min(rank) as rank, max(ns) as longest from finding_stopped
) w;
