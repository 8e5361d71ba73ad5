-- Host time by state: the states of the ranks' main threads over the run.
with state(ord, state, label, meaning) as (values
	(1, 'useful', 'useful', 'the program''s own work'),
	(2, 'io', 'I/O', 'in calls that read, write, open or look up files'),
	(3, 'mpi', 'MPI', 'in MPI: moving data or waiting for other ranks'),
	(3.5, 'gloo', 'gloo', 'in torch.distributed over gloo: moving data or waiting for other '
			|| 'ranks'),
	(4, 'cuda', 'CUDA calls', 'in CUDA and NCCL calls; waiting there costs nothing while the '
			|| 'GPU computes'),
	(5, 'wait', 'wait', 'waiting for another thread or process'),
	(6, 'omp_idle', 'OpenMP idle', 'OpenMP threads waiting'),
	(7, 'absent', 'not recorded', 'before a rank''s start, after its end or not captured'))
select s.label as "State", s.state as "Key|state", sum(h.ns) as "Time|ns",
	1.0 * sum(h.ns) / nullif(sum(sum(h.ns)) over (), 0) as "Share|percent",
	s.meaning as "Meaning"
from host_time h join process p on p.id = h.process_id join state s on s.state = h.state
where h.run_id = :run and h."window" = 'run' and p.rank is not null
group by s.ord having sum(h.ns) > 0 order by s.ord;
