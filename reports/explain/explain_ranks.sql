-- Statements of tacho explain, on demand: what a rank did, beside the others; why it was late.
with spent as (
	select p.rank, h.state, sum(h.ns) / 1e9 as s
	from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" = 'run' and p.rank is not null group by p.rank,
		h.state
),
whole as (
	select state, sum(s) as s, (select count(distinct rank) from spent) as n from spent
		group by state
),
-- of states that somebody has
beside as (
	select r.rank, w.state, coalesce(s.s, 0) as s,
		(w.s - coalesce(s.s, 0)) / nullif(w.n - 1, 0) as others
	from (select distinct rank from spent) r cross join whole w
		left join spent s on s.rank = r.rank and s.state = w.state
	where w.s >= 0.001 order by coalesce(s.s, 0) desc
)
select 'rank.' || rank as "Key", 2 as "Level|count", sum(s) as "Seconds|number",
	'rank ' || rank || ': ' || group_concat(printf('%s %.2f s', state, s)
		|| coalesce(printf(' (the others %.2f)', others), ''), ', ') as "Sentence",
	printf('select h.state, sum(h.ns * (p.rank = %d)) / 1e9 as s, sum(h.ns * (p.rank <> '
		|| '%d)) / 1e9 / '
		|| '(select count(*) - 1 from process where run_id = %d and rank is not null) '
			|| 'as others '
		|| 'from host_time h join process p on p.id = h.process_id where h.run_id = %d '
			|| 'and '
		|| 'h."window" = ''run'' and p.rank is not null group by h.state order by s '
			|| 'desc', rank,
		rank, :run, :run) as "Query"
from beside group by rank
union all
-- where the ladder has a cause of the rank alone in steps, its figures are the ones: explain_late
select 'late.' || rank, 2, sum(waited_ns) / 1e9, 'rank ' || rank || ' was late: '
	|| group_concat(printf('in steps %d to %d by %.3g ms a step, most of it %s; each of '
		|| 'the others waited %.2f s for it', since_step, until_step, excess_ns / 1e6,
		cause, waited_ns / 1e9 / (select max(count(distinct rank) - 1, 1) from process
				where run_id = :run)), '; '),
	printf('select * from straggler where run_id = %d and rank = %d', :run, rank)
from straggler where run_id = :run and cast(rank as text) not in (select ranks from cause
		where run_id = :run and nranks = 1 and steps > 0)
group by rank;
