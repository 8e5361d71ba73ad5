-- Lines in which a rank was seen for longer than the others: what it does that they do not, or does
-- more slowly. Communication is left out, as there a rank waits for the others.
with whole as (
	select count(distinct rank) as n from python_line
	where run_id = :run and rank is not null and thread = 'main'
), line as (
	select rank, thread, file, function, line, sum(ns) as ns from python_line
	where run_id = :run and rank is not null and file is not null and state <> 'communication'
	group by 1, 2, 3, 4, 5
), summed as (
	select thread, file, function, line, sum(ns) as ns from line group by 1, 2, 3, 4
), more as (
	select l.rank, l.thread, l.file, l.function, l.line, l.ns,
		1.0 * (s.ns - l.ns) / (w.n - 1) as others
	from line l join whole w on w.n > 1 join summed s on s.thread = l.thread
		and s.file = l.file and s.function = l.function and s.line is l.line
)
select 'rank ' || rank as "Rank", case thread when 'main' then 'main thread'
		when 'thread' then 'other threads' else 'children' end as "Of",
	file || ':' || coalesce(line, '?') as "Line|path", function as "Function|path",
	ns as "Its time|ns", others as "Others|ns|mean of the other ranks",
	ns - others as "Longer by|ns"
from more where ns - others > 0.01 * (select ns from run_time where run_id = :run)
order by ns - others desc limit 100;
