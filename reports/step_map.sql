-- Step time by rank and step; at most 1000 columns and 256 rows, neighbours averaged.
with size as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w,
		max(1, ((select max(rank) from process where run_id = :run) + 256) / 256) as h
	from step where run_id = :run
)
select p.rank / h * h as "Rank|count", s.n / w * w as "Step|count", avg(s.end_ns - s.start_ns) / 1e6 as "Step time (ms)|number"
from step s join process p on p.id = s.process_id, size
where s.run_id = :run and s.cut = 0 and p.rank is not null
	and (select count(distinct rank) from process where run_id = :run) > 1
	and (select count(distinct n) from step where run_id = :run) > 4
group by p.rank / h, s.n / w order by 1, 2;
