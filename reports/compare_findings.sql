-- Findings that only one of the runs has, or that cost other seconds: by a quarter, and by 2 % of
-- the base run. Messages have figures in them: two findings are the same when their rule is, and
-- their message up to its first figure; of several such the k-th of one run is the k-th of the
-- other.
with found as (
	select p.side, f.rule, f.seconds, f.message, f.advice,
		f.confidence like '%upper bound%' as bound, f.rank,
		substr(f.message, 1, min(instr(f.message || '0', '0'),
		instr(f.message || '1', '1'), instr(f.message || '2', '2'),
		instr(f.message || '3', '3'), instr(f.message || '4', '4'),
		instr(f.message || '5', '5'), instr(f.message || '6', '6'),
		instr(f.message || '7', '7'), instr(f.message || '8', '8'),
		instr(f.message || '9', '9')) - 1) as start
	from pair p join finding f on f.run_id = p.run_id
), numbered as (
	select *, row_number() over (partition by side, rule, start order by rank) as k from found
)
select case when o.side is not null then 'now' when n.side = 1 then 'went' else 'came' end as state,
	n.rule, n.seconds, o.seconds as base_seconds,
	n.bound, n.message, n.advice
from numbered n left join numbered o on o.side <> n.side and o.rule = n.rule and o.start = n.start
	and o.k = n.k
where o.side is null or n.side = 2 and max(n.seconds, o.seconds) >= 1.25 * min(n.seconds, o.seconds)
	and abs(n.seconds - o.seconds) >= 0.02e-9 * (select s.duration_ns from pair p
			join study s on s.run_id = p.run_id where p.side = 1)
order by o.side is not null, n.side desc, n.seconds desc, n.rank;
