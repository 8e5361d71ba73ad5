-- needs: step_tables
-- Own time of steps by rank, without waiting for other ranks: a point each, some 1200 in all. Of
-- many ranks stragglers and those of findings, then the most unlike ones.
-- Blocks: other ranks, stragglers, names of these above their points, numbers of ranks, the median.
with recursive size as (
	select min(n) as first, max(n) as last, median(own_median) / 1e6 as middle
	from step_of_ranks where ranks > 0
), member as (
	select p.id, p.rank, row_number() over (order by n.place is null, n.place, p.rank) as nth
	from process p left join rank_notable n on n.run_id = p.run_id and n.rank = p.rank
	where p.run_id = :run and p.rank is not null and exists (select 1 from step s
		where s.run_id = :run and s.process_id = p.id and s.cut = 0)
), shown as materialized (
	select id, rank, row_number() over (order by rank) - 1 as x, count(*) over () as many,
		(select share from straggler g where g.run_id = :run and g.rank = m.rank
			order by waited_ns desc limit 1) as slower
	from member m where nth <= 48
), every as (
	select max(1, (last - first + 1) * (select count(*) from shown) / 1200) as w from size
), sampled(n) as (
	select first from size where first is not null
	union all
	select n + w from sampled cross join every cross join size where n + w <= last
), point as materialized (
	select m.x, m.rank, m.slower, s.n, (s.end_ns - s.start_ns - coalesce(s.waited_ns, 0)) / 1e6
		as own
	from shown m cross join sampled a cross join step s on s.run_id = :run
		and s.process_id = m.id and s.n = a.n and s.cut = 0
), placed as materialized (	-- side by side where they are as long, in 60 classes
	select *, row_number() over w - 1 as k,
		count(*) over (partition by x, class) as dense
	from (select *, cast(60 * own / nullif(max(own) over (), 0) as integer) as class from point)
	window w as (partition by x, class order by own, n)
), wide as (
	select min(0.006 * (select count(*) from shown), 0.9 / max(dense)) as apart from placed
), dot as materialized (
	select x + (k + 1) / 2 * iif(k % 2, apart, -apart) as x, rank, slower, n, own
	from placed cross join wide
)
select * from (
select 'ranks' as "Block|block", x as "Place|number", n as "Step|count",
	own as "Own time (ms)|number", 'rank ' || rank as "Rank" from dot where slower is null
union all
select 'ranks', null, null, null, null
union all
select 'stragglers', x, n, own, 'rank ' || rank from dot where slower is not null
union all
select 'stragglers', null, null, null, null
union all
select 'names', x, null, max(own), printf('rank %d, %.3g times as slow', rank, 1 + slower)
from point where slower is not null group by x
union all
select 'names', null, null, null, null
union all
select 'numbers', x, null, null, rank from shown where x % ((many + 23) / 24) = 0
union all
select 'median', many - 1, null, middle, null from size cross join shown where x = 0
) where (select count(*) from shown) > 1 and (select last > first + 3 from size)
order by case "Block|block" when 'ranks' then 0 when 'stragglers' then 1 when 'names' then 2
	when 'numbers' then 3 else 4 end, 2, 3;
