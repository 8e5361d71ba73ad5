-- Ranks that have more to do than the average in a phase as a whole. Where ranks lack cores it must
-- be more.
create temp table finding_uneven as
with best as (
	-- who waits for its readers has no more to do
	select o.phase, o.rank, o.above, b.most, b.mean, b.ranks, o.work - b.work as more
	from (select phase, max(outside) as most, avg(outside) as mean, avg(work) as work,
			count(*) as ranks from finding_rank group by phase) b
		join finding_rank o on o.phase = b.phase and o.outside = b.most
	group by o.phase
)
select b.* from best b, finding_core c
where b.ranks > 1 and b.above >= :least_above and b.more >= :most * (b.most - b.mean)
	and b.phase not like '%checkpoint%' and b.phase not in ('setup', 'init')
	and (b.mean * b.ranks - b.most) / (b.ranks - 1)
		< b.most * max(:uneven - c.without, :uneven_least);

-- Times that such a phase came, where it has no steps: from the first rank in to the last out.
-- `ns`, how long others waited for the rank in collectives meanwhile, less it for them, is filled
-- in by the program (analyzer/advise/finding_uneven.c); NULL: there were none. A collective is of
-- the last that had begun when it ended.
create temp table finding_instance as
select u.phase, u.rank, f.instance, min(f.start_ns) as since, max(f.end_ns) as till, null as ns
from finding_uneven u join phase f on f.run_id = :run and f.name = u.phase
where u.phase not in (select phase from finding_part where steps > 0)
group by u.phase, u.rank, f.instance;
