-- needs: unseen_tables
-- The efficiency hierarchy of the whole runs, a column per run; figures that none has are left out.
with known as (
	select ord, depth, model, name, label, meaning from figure
	union all values (2, 0, 'scaling', 'global_efficiency', 'Global efficiency',
			'parallel efficiency (of the GPUs where there are any) × '
			|| 'computation scalability × core scalability'),
	(3, 1, 'scaling', 'computation_scalability', 'Computation scalability',
			'useful time of all ranks (compute time of the GPUs), for the '
			|| 'same work, in the smallest run ÷ in this one'),
	(4, 2, 'scaling', 'instruction_scalability', 'Instruction scalability',
			'instructions of useful time'),
	(5, 2, 'scaling', 'ipc_scalability', 'IPC scalability', 'instructions per cycle'),
	(6, 2, 'scaling', 'frequency_scalability', 'Frequency scalability',
			'cycles per second of useful time'),
	(7, 1, 'scaling', 'core_scalability', 'Core scalability',
			'share of the useful time in which ranks had a core: what others '
			|| 'took of them, run queue and steal')
), network(name) as (	-- of all of them
	select group_concat(name, ' and ') from (select distinct c.name from communication c
			join study s on s.run_id = c.run_id order by 1)
), shown as (
	select distinct f.* from known f join metric m on m."window" = 'run' and m.model = f.model
		and m.name = f.name and m.subject = ''
		and (m.value is not null or m.model <> 'scaling')
)
select replace(f.label, 'MPI', n.name) as "Figure", f.depth as "Depth|count",
	replace(f.meaning, 'MPI', n.name) as "Meaning", s.label as "Window",
	case when u.run_id is null then m.value end as "Value|efficiency",
	coalesce(case when u.run_id is not null then 'no MPI or NCCL call of the ranks was seen'
			end, m.flag, case when m.value is null
				then 'the run has no such figure' end) as "Reason|why",
	f.model as "Model", f.name as "Name"
from shown f cross join network n cross join (select * from study order by run_id limit 30) s
	left join metric m on m.run_id = s.run_id and m."window" = 'run' and m.model = f.model
	and m.name = f.name and m.subject = ''
	left join unseen u on u.run_id = s.run_id
	and (f.model = 'mpi' or f.name = 'mpi_parallel_efficiency')
order by f.ord, s.run_id;
