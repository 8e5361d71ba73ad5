-- Per phase: samples per second reached, and what each state takes from the
-- rate that useful time alone would give (reached ÷ share of useful time).
with part as (
	select name, instance, max(end_ns) - min(start_ns) as ns, min(start_ns) as first
	from phase where run_id = :run group by name, instance
), rate as (
	select p.name, min(p.first) as first,
		(select sum(s.samples) from step s join phase f on f.id = s.phase_id where s.run_id = :run and f.name = p.name)
			* 1e9 / nullif(sum(p.ns), 0) as reached
	from part p group by p.name
), share as (
	select substr(h."window", 7) as name, 1.0 * sum(case h.state when 'useful' then ns end) / nullif(sum(ns), 0) as useful,
		1.0 * sum(case h.state when 'io' then ns end) / nullif(sum(ns), 0) as io,
		1.0 * sum(case h.state when 'mpi' then ns end) / nullif(sum(ns), 0) as mpi,
		1.0 * sum(case h.state when 'cuda' then ns end) / nullif(sum(ns), 0) as cuda,
		1.0 * sum(case h.state when 'wait' then ns end) / nullif(sum(ns), 0) as wait,
		1.0 * sum(case h.state when 'omp_idle' then ns end) / nullif(sum(ns), 0) as omp_idle,
		1.0 * sum(case h.state when 'absent' then ns end) / nullif(sum(ns), 0) as absent
	from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" like 'phase:%' and p.rank is not null
	group by h."window"
)
select r.name as "Phase", r.reached as "reached|number", r.reached / s.useful * coalesce(s.io, 0) as "I/O|number",
	r.reached / s.useful * coalesce(s.mpi, 0) as "MPI|number", r.reached / s.useful * coalesce(s.cuda, 0) as "CUDA calls|number",
	r.reached / s.useful * coalesce(s.wait, 0) as "wait|number",
	r.reached / s.useful * coalesce(s.omp_idle, 0) as "OpenMP idle|number",
	r.reached / s.useful * coalesce(s.absent, 0) as "absent|number"
from rate r join share s on s.name = r.name
where r.reached > 0 and s.useful > 0 order by r.first limit 12;
