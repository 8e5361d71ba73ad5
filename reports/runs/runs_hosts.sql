-- Seconds of a rank's main thread by state, mean over the ranks of each run.
select s.label as "Run", avg(coalesce(useful, 0)) / 1e9 as "useful|number",
	avg(coalesce(io, 0)) / 1e9 as "I/O|number",
	avg(coalesce(mpi, 0)) / 1e9 as "MPI|number",
	avg(coalesce(gloo, 0)) / 1e9 as "gloo|number",
	avg(coalesce(cuda, 0)) / 1e9 as "CUDA calls|number",
	avg(coalesce(wait, 0)) / 1e9 as "wait|number",
	avg(coalesce(omp, 0)) / 1e9 as "OpenMP idle|number",
	avg(coalesce(absent, 0)) / 1e9 as "not recorded|number"
from (select h.run_id, h.process_id, sum(ns) filter (where state = 'useful') as useful,
		sum(ns) filter (where state = 'io') as io,
		sum(ns) filter (where state = 'mpi') as mpi,
		sum(ns) filter (where state = 'gloo') as gloo,
		sum(ns) filter (where state = 'cuda') as cuda,
		sum(ns) filter (where state = 'wait') as wait,
		sum(ns) filter (where state = 'omp_idle') as omp,
		sum(ns) filter (where state = 'absent') as absent
	from host_time h join process p on p.id = h.process_id
	where h."window" = 'run' and p.rank is not null group by h.run_id, h.process_id) t
	join study s on s.run_id = t.run_id
group by s.run_id order by s.run_id;
