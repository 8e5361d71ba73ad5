-- Statements of tacho explain, on demand: the causes of the ladder that a rank has by itself, and
-- how long others waited for it where the test of all its steps finds a straggler (explain_ranks
-- has those without such a cause in steps). Of many ranks only those that have some.
with late as (
	select rank, min(since_step) as since, max(until_step) as till, sum(waited_ns) / 1e9
		/ (select max(count(distinct rank) - 1, 1) from process where run_id = :run) as s
	from straggler where run_id = :run group by rank
)
select 'late.' || p.rank as "Key", 2 as "Level|count", total(c.saves_ns) / 1e9 as "Seconds|number",
	printf(iif(l.rank is null, 'rank %d is no straggler by the test of all its steps',
		'rank %d was late'), p.rank)
		|| coalesce(iif(l.rank is null, '; what others waited for it in the ladder: ', ': ')
			|| group_concat(
			case when c.n > 0 then printf('%s%s%s, %.3g s',
				replace(c.part, '_', ' '),
				coalesce(' at ' || c.place, ''), iif(c.steps > 0, printf(
					' in %d steps, %.3g ms each', c.steps,
					c.own_ns / 1e6 / c.steps), ''),
				c.saves_ns / 1e9) end, '; '),
			', and the ladder has no cause of it alone')
		|| iif(l.rank is null, '', printf('. Each of the others waited %.2f s for it in '
			|| 'steps %d to %d', l.s, l.since, l.till)) as "Sentence",
	printf('select n, part, place, steps, own_ns / 1e6 / max(steps, 1) as each_ms, saves_ns / '
		|| '1e9 as saves_s, (select sum(waited_ns) from straggler g where g.run_id = %d '
		|| 'and cast(g.rank as text) = c.ranks) / (select count(distinct rank) - 1.0 from '
		|| 'process where run_id = %d) / 1e9 as others_waited_s from cause c '
		|| 'where run_id = %d and ranks = ''%d'' order by n', :run, :run, :run, p.rank)
		as "Query"
from process p left join cause c on c.run_id = p.run_id and c.nranks = 1
	and c.ranks = cast(p.rank as text) left join late l on l.rank = p.rank
where p.run_id = :run and p.rank is not null
	and (l.rank is null or cast(p.rank as text) in (select ranks from cause
		where run_id = :run and nranks = 1 and steps > 0))
group by p.rank
having count(c.n) > 0 or (select count(*) from process
	where run_id = :run and rank is not null) <= 16
order by count(c.n) = 0, p.rank;
