-- Where no phase is marked: now and then one rank has something to do that the others have not
-- (a validation, a log, a download), and these wait for it in the next collective, at least 10
-- times as long as usual. With the work shared by n ranks they would wait for a part of it. Waits
-- that come again and again as long, for it alone, twice as long as any other, are no accident, nor
-- is what it did in a function in which the others never are. Of other waits it must be more of the
-- time since the first step, most where ranks lack cores; where several have others wait so, it is
-- bad luck. What it wrote checkpoints in is told for that.
with stop as (
	select s.rank, count(*) as times, sum(s.ns) as ns, min(s.ns) as least, max(s.ns) as longest,
		max(s.many) as many, max(s.begin_ns) as begin_ns,
		(select sum(ns) from finding_long)
			- coalesce((select sum(ns) from finding_saved), 0) as whole
	from (select o.rank, o.ns - coalesce(v.ns, 0) as ns, many, begin_ns from finding_stops o
		left join finding_saved v on v.rank = o.rank and v.first_ns = o.first_ns
		where o.long) s
	where s.ns >= :wait_s * 1e9 group by s.rank
), judged as (
	select s.*, s.times >= :again and s.longest <= :alike_times * s.least and not exists (
			select 1 from finding_stops o where s.least < :stands_out * o.ns
				and (o.rank <> s.rank or o.ns < :wait_s * 1e9)) as regular,
		k.text as line, k.others_ns <= :little * k.ns as is_own, k.ns as own_ns
	from stop s join noise_constant z
		left join finding_line k on k.rank = s.rank and k.thread = 'main'
			and k.ns >= z.most * s.ns
), told as (
	select *, regular or ns >= :nearly_all * whole and ns >= max(:little, (select without
				from finding_core)) * (1e9 * (select whole from finding_run)
			- begin_ns) as by_waits
	from judged
)
select waited * (1 - 1.0 / r.nranks) / 1e9 as seconds, s.rank, s.times, waited / 1e9 as waited,
	r.nranks - 1 as others, s.line
from (select *, case when by_waits then ns else min(ns, own_ns) end as waited from told) s
	join finding_run r
where s.times between :stops and :between_part * s.many and (s.by_waits or s.is_own)
	and not exists (select 1 from finding_phase)
	and s.rank not in (select rank from straggler where run_id = :run);
