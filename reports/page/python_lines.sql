-- Lines of the program itself by the time that ranks were seen in them: per rank, and where it was
-- most. What a line calls in libraries is its time.
with line as (
	select rank, thread, state, file, function, line, sum(ns) as ns from python_line
	where run_id = :run and rank is not null group by 1, 2, 3, 4, 5, 6
), ranks as (
	select count(distinct rank) as n, thread from line group by thread
), whole as (
	select thread, sum(ns) as ns from line group by thread
), lines as (
	select thread, state, file, function, line, sum(ns) as ns, count(*) as n, max(ns) as most,
		min(ns) as least, rank from line group by 1, 2, 3, 4, 5
)
select case l.thread when 'main' then 'main thread' when 'thread' then 'other threads'
		else 'children' end as "Of||children: data-loader workers and others",
	l.state as "State||what is done there: docs/glossary.md has the rule",
	coalesce(l.file || iif(l.line is null and l.file not glob '*.py', '',
		':' || coalesce(l.line, '?')), 'not known')
		as "Line|path|of the program; of a library where nothing of the program called it",
	coalesce(l.function, '') as "Function|path",
	1.0 * l.ns / r.n as "Per rank|ns|mean over the ranks",
	1.0 * l.ns / w.ns as "Share|percent|of the time of these threads",
	case when l.n < r.n then 0 else l.least end as "Least|ns|of a rank",
	l.most as "Most|ns|of a rank", 'rank ' || l.rank as "of"
from lines l join ranks r on r.thread = l.thread join whole w on w.thread = l.thread
order by l.thread <> 'main', l.ns desc limit 200;
