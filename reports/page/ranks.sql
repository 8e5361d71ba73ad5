-- Seconds of each rank by state, over the run. A single one is the bar above.
select p.rank as "Rank|count", sum(case h.state when 'useful' then ns else 0 end) / 1e9
	as "useful|number",
	sum(case h.state when 'io' then ns else 0 end) / 1e9 as "I/O|number",
	sum(case h.state when 'mpi' then ns else 0 end) / 1e9 as "MPI|number",
	sum(case h.state when 'gloo' then ns else 0 end) / 1e9 as "gloo|number",
	sum(case h.state when 'cuda' then ns else 0 end) / 1e9 as "CUDA calls|number",
	sum(case h.state when 'wait' then ns else 0 end) / 1e9 as "wait|number",
	sum(case h.state when 'omp_idle' then ns else 0 end) / 1e9 as "OpenMP idle|number",
	sum(case h.state when 'absent' then ns else 0 end) / 1e9 as "not recorded|number"
from host_time h join process p on p.id = h.process_id
where h.run_id = :run and h."window" = 'run' and p.rank is not null
	and (select count(*) from process where run_id = :run and rank is not null) > 1
group by p.rank order by p.rank;
