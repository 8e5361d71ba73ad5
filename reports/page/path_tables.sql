-- needs: timeline_tables
-- Who was on the critical path when: temporary table path_over(label, from_ns, to_ns, share), in
-- 400 bins of the run, those next to each other of one label as one; share: at least so much of
-- each.
-- Between two collectives of all ranks the path is with the rank that came last to the second one,
-- and from then to its end with the network. Ranks that also wait for each other in smaller
-- groups, by messages or by NCCL make that wrong: it stands only where each rank has no more of it
-- than the critical path that was followed event by event (model critical_path), within 5 % of its
-- length.
create temp table path_part as
with met as (
	select c.last_rank as rank, c.last_ns, c.end_ns, coalesce(max(c.end_ns) over (
			order by c.last_ns, c.end_ns
			rows between unbounded preceding and 1 preceding), 0) as before
	from collective c join communicator m on m.run_id = c.run_id and m.kind = c.kind
		and m.id = c.comm_id
	where c.run_id = :run and c.kind in ('mpi', 'gloo') and c.last_rank is not null
		and m.size = (select nranks from run where id = :run)
		and (select count(*) from collective where run_id = :run) <= 300000
		and not exists (select 1 from collective_rest where run_id = :run)
		and not exists (select 1 from collective where run_id = :run and kind = 'nccl')
)
select rank, before as from_ns, last_ns as to_ns from met where last_ns > before
union all select null, max(last_ns, before), end_ns from met where end_ns > max(last_ns, before);

create temp table path_over as
with recursive width(ns) as (
	select duration_ns / 400 + 1 from run where id = :run
), wrong as (	-- more than the path that was followed
	select total(max(0, p.ns - coalesce(m.value, 0))) as ns from (
		select rank, sum(to_ns - from_ns) as ns from path_part where rank is not null
		group by rank) p
		left join metric m on m.run_id = :run and m."window" = 'run'
			and m.model = 'critical_path' and m.name = 'length'
			and m.subject = 'rank:' || p.rank
), trusted as (
	select 1 from wrong w join metric m on m.run_id = :run and m."window" = 'run'
		and m.model = 'critical_path' and m.name = 'length' and m.subject = ''
		and w.ns <= 0.05 * m.value
), piece(rank, bin, from_ns, to_ns) as (
	select rank, from_ns / ns, from_ns, to_ns from path_part, width
	where exists (select 1 from trusted)
	union all
	select rank, bin + 1, from_ns, to_ns from piece, width where (bin + 1) * ns < to_ns
), spent as (
	select bin, rank, sum(min(to_ns, (bin + 1) * ns) - max(from_ns, bin * ns)) * 1.0 / ns
		as share
	from piece, width group by bin, rank
), most as (
	select bin, coalesce('rank ' || rank, 'network') as label, share, row_number() over (
			partition by bin order by share desc, rank) as nth
	from spent
), island as (	-- a bin of which little is known is left out
	select bin, label, share, bin - row_number() over (partition by label order by bin) as i
	from most where nth = 1 and share >= 0.25
)
select label, min(bin) * ns as from_ns, min((max(bin) + 1) * ns, (select duration_ns from run
		where id = :run)) as to_ns, min(share) as share
from island, width group by label, i order by from_ns;
