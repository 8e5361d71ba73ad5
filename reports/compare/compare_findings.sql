-- Findings that only one of the runs has, or that cost other seconds: by a quarter, and by 2 % of
-- the base run. Two findings are the same when their rule, variant, rank and phase are; of several
-- such the k-th of one run is the k-th of the other.
with found as (
	select p.side, f.rule, f.variant, f.seconds, f.message, f.advice, f.is_bound as bound, f.n,
		f.culprit_rank as who, coalesce(f.phase, '') as phase
	from pair p join finding f on f.run_id = p.run_id
), numbered as (
	select *, row_number() over (partition by side, rule, variant, who, phase order by n) as k
	from found
)
select case when o.side is not null then 'now' when n.side = 1 then 'went' else 'came' end as state,
	n.rule, n.seconds, o.seconds as base_seconds,
	n.bound, n.message, n.advice
from numbered n left join numbered o on o.side <> n.side and o.rule = n.rule
	and o.variant is n.variant and o.who is n.who
	and o.phase = n.phase and o.k = n.k
where o.side is null or n.side = 2 and max(n.seconds, o.seconds) >= 1.25 * min(n.seconds, o.seconds)
	and abs(n.seconds - o.seconds) >= 0.02e-9 * (select s.duration_ns from pair p
			join study s on s.run_id = p.run_id where p.side = 1)
order by o.side is not null, n.side desc, n.seconds desc, n.n;
