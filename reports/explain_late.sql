-- Statements of tacho explain, on demand: the causes of the ladder that a rank has by itself, where
-- the test of all its steps finds no straggler (explain_ranks has those). Of many ranks only those
-- that have some.
select 'late.' || p.rank as "Key", 2 as "Level|count", total(c.saves_ns) / 1e9 as "Seconds|number",
	printf('rank %d is no straggler by the test of all its steps', p.rank)
		|| coalesce('; what others waited for it in the ladder: ' || group_concat(
			case when c.n > 0 then printf('%s%s in %d steps, %.3g s',
				replace(c.part, '_', ' '), coalesce(' at ' || c.place, ''), c.steps,
				c.saves_ns / 1e9) end, '; '),
			', and the ladder has no cause of it alone') as "Sentence",
	printf('select n, part, place, steps, own_ns / 1e9 as own_s, saves_ns / 1e9 as saves_s '
		|| 'from cause where run_id = %d and ranks = ''%d'' order by n', :run, p.rank)
		as "Query"
from process p left join cause c on c.run_id = p.run_id and c.nranks = 1
	and c.ranks = cast(p.rank as text)
where p.run_id = :run and p.rank is not null
	and p.rank not in (select rank from straggler where run_id = :run)
group by p.rank
having count(c.n) > 0 or (select count(*) from process
	where run_id = :run and rank is not null) <= 16
order by count(c.n) = 0, p.rank;
