-- Where no phase is marked: now and then one rank has something to do that the others have not
-- (a validation, a log, a download), and these wait for it in the next collective, at least 10
-- times as long as usual. With the work shared by n ranks they would wait for a part of it. Waits
-- that come again and again as long, for it alone, twice as long as any other, are no accident. Of
-- other waits it must be more of the time since the first step, most where ranks lack cores; where
-- several have others wait so, it is bad luck.
with stop as (
	select rank, count(*) as times, sum(ns) as ns, min(ns) as least, max(ns) as longest,
		max(many) as many, max(begin_ns) as begin_ns,
		(select sum(ns) from finding_long) as whole
	from finding_stops where long and ns >= :wait_s * 1e9 group by rank
), judged as (
	select s.*, times >= :again and longest <= :alike_times * least and not exists (
			select 1 from finding_stops o where s.least < :stands_out * o.ns
				and (o.rank <> s.rank or o.ns < :wait_s * 1e9)) as regular
	from stop s
)
select s.ns * (1 - 1.0 / r.nranks) / 1e9 as seconds, s.rank, s.times, s.ns / 1e9 as waited,
	r.nranks - 1 as others, k.text as line
from judged s join finding_run r join finding_core c join noise_constant z
	left join finding_line k on k.rank = s.rank and k.thread = 'main' and k.ns >= z.most * s.ns
where s.times between :stops and :between_part * s.many
	and (s.regular or s.ns >= :nearly_all * s.whole
		and s.ns >= max(:little, c.without) * (1e9 * r.seconds_all - s.begin_ns))
	and not exists (select 1 from finding_phase)
	and not exists (select 1 from temp.found where rule = 'rank_checkpoints')
	and s.rank not in (select rank from straggler where run_id = :run);
