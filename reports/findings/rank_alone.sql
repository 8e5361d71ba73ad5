-- Where no phase is marked: now and then one rank has something to do that the others have not
-- (a validation, a log, a download), and these wait for it in the next collective, at least 10
-- times as long as usual. With the work shared by n ranks they would wait for a part of it. Where
-- ranks lack cores it must be more; where several have others wait so, it is bad luck.
with stop as (
	select rank, count(*) as times, sum(ns) as ns, min(ns) as least,
		(select sum(ns) from finding_long) as whole
	from finding_long where ns >= :wait_s * 1e9 group by rank
)
select s.ns * (1 - 1.0 / r.nranks) / 1e9 as seconds, s.rank, s.times, s.ns / 1e9 as waited,
	r.nranks - 1 as others, k.text as line
from stop s join finding_run r join finding_core c join noise_constant z
	left join finding_line k on k.rank = s.rank and k.thread = 'main' and k.ns >= z.most * s.ns
where s.times between :stops and :between_part * (select n from finding_steps)
	and s.ns >= :nearly_all * s.whole
	and s.ns >= max(:little, c.without) * 1e9 * r.seconds_all
	and not exists (select 1 from finding_phase)
	and not exists (select 1 from temp.found where rule = 'rank_checkpoints')
	and s.rank not in (select rank from straggler where run_id = :run);
