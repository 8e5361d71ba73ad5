-- Where no phase is marked: a rank makes more steps than the others, which are in communication
-- until it is through (uneven inputs under PyTorch's Join, a collective after the loop). With equal
-- numbers they would be through earlier by the mean of what they wait, no longer than they are in
-- communication for longer than that rank.
with of_rank as (
	select p.rank, p.id, (select max(n) - min(n) + 1 from step s where s.run_id = p.run_id
			and s.process_id = p.id and s.cut = 0) as steps,
		(select s.end_ns from step s where s.run_id = p.run_id and s.process_id = p.id
			and s.cut = 0 order by s.n desc limit 1) as till,
		(select total(ns) from host_time h where h.run_id = p.run_id
			and h.process_id = p.id and h."window" = 'run'
			and h.state in ('mpi', 'gloo')) as exchange
	from process p where p.run_id = :run and p.rank is not null
), last as (
	select * from of_rank where steps is not null order by till desc limit 1
), waited as (
	select o.steps, o.till, l.rank, l.steps as many, l.till as ends,
		max(0, min(l.till - o.till, o.exchange - l.exchange)) as ns
	from of_rank o join last l where o.steps is not null
)
select sum(ns) / count(*) / 1e9 as seconds, rank, many, min(steps) as fewest,
	count(*) - 1 as others, max(ns) / 1e9 as waited, min(till) as from_ns, ends as till_ns
from waited
where not exists (select 1 from finding_phase) and not exists (select 1 from finding_gpu)
having max(steps) = max(many) and min(steps) < max(many) * (1 - :little)
	and max(ns) >= :most * (max(ends) - min(till));
