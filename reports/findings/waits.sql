-- The run, if several ranks tell each other nothing by MPI or NCCL that was seen; of those with
-- devices nothing is said.
create temp table finding_unseen as
select r.run_id from finding_run r where r.nranks > 1
	and not exists (select 1 from collective where run_id = r.run_id)
	and not exists (select 1 from call where run_id = r.run_id and class in ('mpi', 'gloo',
		'nccl'))
	and not exists (select 1 from host_time where run_id = r.run_id and "window" = 'run'
			and state in ('mpi', 'gloo'))
	and not exists (select 1 from device where run_id = r.run_id);

-- What each main thread waited for semaphores, locks and queues of threads, less what readers ended
-- of its waiting.
create temp table finding_lock as
select p.rank, max(0, m.value
		- coalesce((select f.value * (select total(h.ns) from host_time h
			where h.run_id = p.run_id and h.process_id = p.id
		and h."window" = 'run' and h.state = 'wait') from metric f
		where f.run_id = p.run_id and f."window" = 'run' and f.model = 'host'
		and f.name = 'wait_for_readers' and f.subject = m.subject), 0)) as ns
from process p join metric m on m.run_id = p.run_id and m."window" = 'run' and m.model = 'host'
	and m.name = 'waited_semaphores' and m.subject = 'rank:' || p.rank
where p.run_id = :run and p.rank is not null;
