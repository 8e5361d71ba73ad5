-- The figures of model mpi between the end of MPI_Init and the begin of MPI_Finalize (window
-- active), and how long the run was outside of that, where it is a hundredth of it or more.
with spent as (
	select max(ns) as ns from (select sum(ns) as ns from host_time
		where run_id = :run and "window" = 'active' group by process_id)
), figures as (
	select max(case name when 'parallel_efficiency' then value end) as parallel,
		max(case name when 'load_balance' then value end) as balance,
		max(case name when 'communication_efficiency' then value end) as communication,
		max(case name when 'parallel_efficiency' then flag end) as flag
	from metric where run_id = :run and "window" = 'active' and model = 'mpi' and subject = ''
)
select f.parallel as "Parallel|efficiency", f.balance as "Balance|efficiency",
	f.communication as "Communication|efficiency", r.ns - s.ns as "Start and end|ns",
	f.flag as "Reason"
from run_time r cross join spent s cross join figures f
where r.run_id = :run and f.parallel is not null and r.ns - s.ns >= 0.01 * r.ns;
