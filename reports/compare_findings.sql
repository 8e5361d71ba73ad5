-- Findings that only one of the runs has. Messages have figures in them: two findings are the same when their rule is, and
-- their message up to its first figure; of several such the k-th of one run is the k-th of the other.
with told as (
	select p.side, f.rule, f.seconds, f.message, f.advice, f.rank, substr(f.message, 1, min(instr(f.message || '0', '0'),
		instr(f.message || '1', '1'), instr(f.message || '2', '2'), instr(f.message || '3', '3'), instr(f.message || '4', '4'),
		instr(f.message || '5', '5'), instr(f.message || '6', '6'), instr(f.message || '7', '7'), instr(f.message || '8', '8'),
		instr(f.message || '9', '9')) - 1) as start
	from pair p join finding f on f.run_id = p.run_id
), numbered as (
	select *, row_number() over (partition by side, rule, start order by rank) as k from told
)
select case side when 1 then 'went' else 'came' end as state, rule, seconds, message, advice from numbered n
where not exists (select 1 from numbered o where o.side <> n.side and o.rule = n.rule and o.start = n.start and o.k = n.k)
order by side desc, seconds desc, rank;
