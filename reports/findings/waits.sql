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

-- Collectives after the first step (of a run without: after the first of them), whether ranks
-- waited unusually long there for the last one.
create temp table finding_stops as
select rank, first_ns, ns, ns >= :stop_times * typical and ns >= :stop_s * 1e9 as long
from finding_stop join (
	select coalesce(max((select s.start_ns from step s where s.run_id = :run
				and s.process_id = p.id order by s.n limit 1)),
			(select max(begun_ns) from finding_stop)) as begin_ns
	from process p where p.run_id = :run and p.rank is not null)
where first_ns >= begin_ns;

-- Of each long wait what the rank that is waited for wrote checkpoints in (io_save): all of it,
-- where that is most of it, as gathering and serialising are a part. Another thread than the main
-- one may write in the background, unless nearly all that it does is within the wait.
create temp table finding_saved as
with during as (
	select s.rank, s.first_ns, s.ns, sum(max(0, min(s.first_ns + s.ns, v.end_ns)
			- max(s.first_ns, v.start_ns))) as ns_saved
	from finding_stops s join process p on p.run_id = :run and p.rank = s.rank
		join io_save v on v.run_id = p.run_id and v.process_id = p.id
			and v.start_ns < s.first_ns + s.ns and v.end_ns > s.first_ns
	where s.long and (v.is_main or min(s.first_ns + s.ns, v.end_ns)
			- max(s.first_ns, v.start_ns) >= :nearly_all * (v.end_ns - v.start_ns))
	group by 1, 2, 3
)
select rank, first_ns, case when ns_saved >= z.most * ns then ns else min(ns, ns_saved) end as ns
from during join noise_constant z;
