-- The main threads of all ranks wait for semaphores, as Python's locks and queues are, that no
-- reader posts: another thread holds what they need. Of mutexes `blocked` tells. Of one rank that
-- alone does others tell (step_wait), and next to a GPU that computes it costs
-- nothing.
with least as (
	select min(ns) as ns, count(*) as n from finding_lock
), used as (
	select sum(c.calls) as calls from call c join process p on p.id = c.process_id
	where c.run_id = :run and p.rank is not null
		and c.name in ('sem_wait', 'sem_timedwait', 'sem_clockwait')
)
select l.ns / 1e9 as seconds, l.ns / 1e7 / r.seconds_all as percent, u.calls
from least l, used u, finding_run r
where l.n = r.nranks and u.calls > 0 and l.ns >= :little * 1e9 * r.seconds_all
	and not exists (select 1 from finding_gpu);
