-- For the queries of efficiencies, executed before them: the temporary table `unseen`, of runs
-- whose ranks communicate by means that were not recorded. Time outside of MPI is all their time
-- then, and the MPI factors are 1 however long they wait.
create temp table unseen as
select r.id as run_id from run r
where (select count(*) from process p where p.run_id = r.id and p.rank is not null) > 1
	and not exists (select 1 from call c where c.run_id = r.id and c.class in ('mpi', 'gloo',
		'nccl'))
	and not exists (select 1 from collective c where c.run_id = r.id)
	and not exists (select 1 from host_time h where h.run_id = r.id and h."window" = 'run'
			and h.state in ('mpi', 'gloo'))
	and r.id not in (select run_id from socket_run);
