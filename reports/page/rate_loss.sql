-- needs: step_tables
-- A single phase has no plot: its row of the table says the same.
-- Per phase: samples per second reached, and what each state takes from the rate that useful time
-- alone would give (reached ÷ share of useful time). Of runs with GPUs it is their time: hosts wait
-- for them most of theirs, and that costs nothing.
with rate as (
	select p.name, p.first_ns as first,
		(select samples from phase_steps where phase = p.name) * 1e9
			/ nullif(p.ns - coalesce(l.ns, 0), 0) as reached
	from phase_all p left join lost_time l on l.run_id = :run
		and l."window" = 'phase:' || p.name
	where p.run_id = :run
), gpu as (
	select exists (select 1 from device_time where run_id = :run and "window" >= 'phase:'
			and "window" < 'phase;' and state = 'compute' and ns > 0) as any
), spent(name, state, ns) as (
	select substr(h."window", 7), h.state, h.ns
	from host_time h join process p on p.id = h.process_id join gpu g
	where not g.any and h.run_id = :run and h."window" >= 'phase:' and h."window" < 'phase;'
		and p.rank is not null
	union all	-- of time in which events were lost nobody knows what it took
	select substr(m."window", 7), 'absent', -cast(m.value as integer) from metric m join gpu g
	where not g.any and m.run_id = :run and m.model = 'quality' and m.name = 'lost'
		and m."window" >= 'phase:' and m."window" < 'phase;'
	union all
	select substr(d."window", 7),
		case d.state when 'compute' then 'useful' when 'idle:io_wait' then 'io'
			when 'idle:checkpoint' then 'io'
		when 'idle:mpi_wait' then 'mpi' when 'idle:wait' then 'wait'
		when 'idle:host_compute' then 'host' when 'memcpy' then 'copies'
		when 'nccl' then 'nccl' when 'nccl_wait' then 'nccl'
		when 'nccl_transfer' then 'nccl' when 'absent' then 'absent' else 'cuda' end, d.ns
	from device_time d join gpu g
	where g.any and d.run_id = :run and d."window" >= 'phase:' and d."window" < 'phase;'
), share as (
	select name, 1.0 * sum(case state when 'useful' then ns end) / nullif(sum(ns), 0) as useful,
		1.0 * total(case state when 'io' then ns end) / nullif(sum(ns), 0) as io,
		1.0 * total(case state when 'mpi' then ns end) / nullif(sum(ns), 0) as mpi,
		1.0 * total(case state when 'gloo' then ns end) / nullif(sum(ns), 0) as gloo,
		1.0 * total(case state when 'cuda' then ns end) / nullif(sum(ns), 0) as cuda,
		1.0 * total(case state when 'wait' then ns end) / nullif(sum(ns), 0) as wait,
		1.0 * total(case state when 'omp_idle' then ns end)
			/ nullif(sum(ns), 0) as omp_idle,
		1.0 * total(case state when 'absent' then ns end) / nullif(sum(ns), 0) as absent,
		1.0 * total(case state when 'nccl' then ns end) / nullif(sum(ns), 0) as nccl,
		1.0 * total(case state when 'copies' then ns end) / nullif(sum(ns), 0) as copies,
		1.0 * total(case state when 'host' then ns end) / nullif(sum(ns), 0) as host
	from spent group by name
)
select r.name as "Phase", r.reached as "reached|number",
	r.reached / s.useful * s.io as "I/O|number",
	r.reached / s.useful * s.mpi as "MPI|number", r.reached / s.useful * s.gloo as
		"gloo|number",
	r.reached / s.useful * s.cuda
		as "CUDA calls|number|of GPUs: idle for launches and CUDA calls, or queued",
	r.reached / s.useful * s.wait as "wait|number",
	r.reached / s.useful * s.omp_idle as "OpenMP idle|number",
	r.reached / s.useful * s.absent as "not recorded|number",
	r.reached / s.useful * s.nccl
		as "NCCL|number|of GPUs: transfer and waiting, while nothing was computed",
	r.reached / s.useful * s.copies as "copies|number|of GPUs: that nothing overlapped",
	r.reached / s.useful * s.host as "host|number|of GPUs: idle while the host computed"
from rate r join share s on s.name = r.name
where r.reached > 0 and s.useful > 0 and (select count(*) from rate where reached > 0) > 1
order by r.first limit 12;
