-- Large blocking all-reduces of the main threads, with no other thread or non-blocking call that
-- would move data while gradients are computed. Only transfer counts (lower quartile per size), not
-- waiting for late ranks, and no more than half of the computing, which is what is left of it to
-- hide under. The last all-reduce of a step, taken as one of four at least, stays after the
-- computing. Where ranks lack cores a call lasts until all have had one: the lowest tenth counts,
-- less that, three turns of 4 ms. On one node it is the cores that move the data: where each has a
-- rank nothing is hidden.
with steps as (
	select sum(steps) as n, sum(useful) / max(ranks) as useful, sum(ns) / max(ranks) as ns
	from finding_part where steps > 0
), core as (
	select case when without < :quiet then 0 else without end as without from finding_core
), timed as (
	select bytes, calls as many, case when without > 0 then tenth_ns else quarter_ns end as ns
	from finding_allreduce, core
), moved as (
	select sum(many) as calls,
		sum(many * max(0, ns - case when without > 0 then :turns_ns / (1.01 - without)
				else 0 end)) as ns, sum(1.0 * many * bytes) as bytes
	from timed, core
)
select min(m.ns * (1 - 1 / max(1.0 * :buckets, m.calls / s.n)), s.useful * :hideable) / 1e9
		as seconds,
	m.calls,
	m.bytes / 1e6 / m.calls as mb, 100.0 * m.ns / s.ns as percent
from moved m, steps s, finding_run r
where s.n > 0 and m.calls >= s.n and m.ns >= :some * s.ns
	and not exists (select 1 from location_time t join location l on l.id = t.location_id
		where t.run_id = r.run_id and t.state in ('mpi', 'gloo') and not l.is_main)
	and not exists (select 1 from call where run_id = r.run_id
		and (name like 'MPI_I%reduce%' or name like 'MPI_%reduce%_init%'))
	and ((select count(distinct node_id) from process
				where run_id = r.run_id and rank is not null) > 1
		or coalesce((select sum(cast(value as integer)) from environment
			where run_id = r.run_id and scope like 'node:%'
				and key = 'cores') > r.nranks, 1));
