-- Host time by state: the states of the ranks' main threads over the run. What is known of waiting
-- for other ranks stands beside moving data, where ranks talk by MPI or by gloo alone.
with state(ord, state, label, meaning) as (values
	(1, 'useful', 'useful', 'the program''s own work'),
	(2, 'io', 'I/O', 'in calls that read, write, open or look up files'),
	(3, 'mpi', 'MPI', 'in MPI: moving data or waiting for other ranks'),
	(3.1, 'mpi_transfer', 'MPI transfer', 'in MPI, not waiting for other ranks: moving data'),
	(3.2, 'mpi_wait', 'MPI wait', 'in MPI, waiting for other ranks'),
	(3.5, 'gloo', 'gloo', 'in torch.distributed over gloo: moving data or waiting for other '
			|| 'ranks'),
	(3.6, 'gloo_transfer', 'gloo transfer', 'in torch.distributed over gloo, not waiting for '
			|| 'other ranks: moving data'),
	(3.7, 'gloo_wait', 'gloo wait', 'in torch.distributed over gloo, waiting for other ranks'),
	(4, 'cuda', 'CUDA calls', 'in CUDA and NCCL calls; waiting there costs nothing while the '
			|| 'GPU computes'),
	(5, 'wait', 'wait', 'waiting for another thread or process'),
	(6, 'omp_idle', 'OpenMP idle', 'OpenMP threads waiting'),
	(7, 'absent', 'not recorded', 'before a rank''s start, after its end or not captured')),
-- where parts of the run are not in detail the totals of all of it count, as far as the ranks lived
exact as (
	select subject, name as state, value as ns from metric
	where run_id = :run and "window" = 'run' and model = 'exact'
),
spent as (
	select null as id, subject, state, ns from exact
	union all
	select p.id, 'rank:' || p.rank, h.state, h.ns
	from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" = 'run' and p.rank is not null
		and (h.state = 'absent' or not exists (select 1 from exact))
),
-- of a rank that talks by both it is not known in which it waited, nor of one without a replay; and
-- who waited when the run was cut, for what never came, waited as long as nobody knows
waited as (
	select s.id, s.state, s.ns, m.value as waited
	from spent s left join metric m on m.run_id = :run and m."window" = 'run'
		and m.model = 'host' and m.name = 'waited_ranks' and m.subject = s.subject
		and m.value between 0 and s.ns and not exists (select 1 from exact)
	where s.state in ('mpi', 'gloo') and s.ns > 0
),
known as (
	select count(distinct state) = 1 and count(waited) = count(*)
		and (select cut from run where id = :run) = 0 as all_of_it from waited
),
part as (
	select state, ns from spent
	where state not in ('mpi', 'gloo') or not (select all_of_it from known)
	union all
	select state || '_transfer', ns - waited from waited where (select all_of_it from known)
	union all
	select state || '_wait', waited from waited where (select all_of_it from known)
)
select s.label as "State", s.state as "Key|state", sum(h.ns) as "Time|ns",
	1.0 * sum(h.ns) / nullif(sum(sum(h.ns)) over (), 0) as "Share|percent",
	s.meaning as "Meaning"
from part h join state s on s.state = h.state
where exists (select 1 from part where state <> 'absent' and ns > 0)
group by s.ord having sum(h.ns) > 0 order by s.ord;
