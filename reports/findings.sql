-- What to change, most seconds saved first. Notes on quality save nothing. Rows: part of the page;
-- Filter: what those of its rows hold that show it, of tables that name ranks the rank.
-- Shared: 1 % of the run or more.
with shown(pattern, part, filter) as (values
	('step_compute', 'slow_ranks', 'rank'), ('outside_more', 'collective_ranks', 'rank'),
	('rank_checkpoints', 'collective_ranks', 'rank'), ('input_*', 'files', ''),
	('output_between_steps', 'files', ''), ('blocking_checkpoint', 'files', 'checkpoint'),
	('small_collectives', 'collectives', ''), ('exposed_communication', 'collectives', ''),
	('transfer', 'collectives', ''), ('serialisation', 'critical_path', ''),
	('serial_phase', 'phases', ''), ('validation_share', 'phases', ''),
	('mpi_start_end', 'calls', 'MPI_Init'), ('blocked', 'waits', ''),
	('step_sleep', 'waits', 'sleep'), ('outside_sleep', 'waits', 'sleep'),
	('step_wait', 'waits', ''), ('pinning', 'pinning', ''), ('gpu_pinning', 'pinning', '✗'),
	('without_core', 'pinning', ''), ('launch_bound', 'launches', ''),
	('synchronisations', 'synchronisations', ''), ('host_starves', 'idle', ''),
	('unused_gpu', 'idle', ''), ('exposed_nccl', 'collectives', 'nccl'),
	('slow_link', 'collectives', 'nccl'), ('slow_transport', 'collectives', 'nccl'),
	('tensor_cores', 'kernels', ''), ('gpu_imbalance', 'idle', ''),
	('pageable_copies', 'copies', 'pageable'), ('gpu_clock', 'resource_gpus', ''),
	('memory_bound', 'resource_gpus', '')
), reported as (
	select f.*, s.part, case when s.filter <> 'rank' then s.filter
		else 'rank ' || culprit_rank end as filter
	from finding f left join shown s on f.rule glob s.pattern
	where f.run_id = :run
)
select n as "#|count", case when seconds > 0 then seconds * 1e9 end
	as "Saves|ns|of the run's time, by the replay or the model that 'How sure' names",
	case when seconds = 0 then 'it makes the others uncertain' end as "|why",
	message as "Finding", advice as "Advice", confidence as "How sure",
	evidence as "Evidence|path|a query on tacho.db whose rows prove it",
	part as "Rows|state", filter as "Filter|state", is_bound as "Bound|state",
	certainty as "Certainty|state",
	(select printf('up to %.*f s of these are also in finding %s',
		case when s.seconds < 10 then 2
			when s.seconds < 100 then 1 else 0 end, s.seconds, s.others)
		from finding_shared s join run_time r on r.run_id = s.run_id
		where s.run_id = :run and s.n = reported.n
			and s.seconds >= 0.01e-9 * r.ns)
		as "Shared"
from reported order by n;
