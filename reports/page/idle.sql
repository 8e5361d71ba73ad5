-- Why each GPU was idle, most idle first, and how much of its communication ran under computing.
with total as (
	select d.id, d.kind, sum(ns) filter (where state <> 'not_in_detail') as ns,
		coalesce(sum(ns) filter (where state like 'idle:%'), 0) as idle from device d
	join device_time t on t.device_id = d.id where t.run_id = :run and t."window" = 'run'
	group by d.id
), of(id, state, ns) as (
	select device_id, state, ns from device_time where run_id = :run and "window" = 'run'
), overlap as (	-- of the first of its processes
	select u.device_id, m.value, min(m.subject) as subject
	from process_device u cross join process p on p.id = u.process_id
		cross join metric m on m.run_id = :run and m."window" = 'run' and m.model = 'device'
			and m.name = 'nccl_overlap'
			and m.subject = 'gpu:' || p.rank || ':' || u.ordinal
	where p.run_id = :run group by u.device_id
), named as (
	select t.*, o.rank, o.ordinal, v.value as overlapped from total t
		left join device_owner o on o.device_id = t.id
		left join overlap v on v.device_id = t.id
)
select case kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
	|| coalesce(rank || ':' || ordinal, id) as "GPU",
	1.0 * idle / nullif(ns, 0) as "Idle|percent|share of the run in which nothing was executed",
	(select ns from of where id = n.id and state = 'idle:io_wait') * 1.0 / nullif(idle, 0)
		as "I/O|percent|of the idle time: the launching thread waited for files",
	(select ns from of where id = n.id and state = 'idle:mpi_wait') * 1.0 / nullif(idle, 0)
		as "MPI|percent|it was in MPI",
	(select ns from of where id = n.id and state = 'idle:checkpoint') * 1.0 / nullif(idle, 0)
		as "Checkpoint|percent|it wrote a checkpoint",
	(select ns from of where id = n.id and state = 'idle:host_compute') * 1.0 / nullif(idle, 0)
		as "Host|percent|it computed",
	(select ns from of where id = n.id and state = 'idle:host_in_cuda_api') * 1.0
		/ nullif(idle, 0) as "CUDA calls|percent|it was in calls of CUDA",
	(select ns from of where id = n.id and state = 'idle:wait') * 1.0 / nullif(idle, 0)
		as "Wait|percent|it waited for another thread, not known which one",
	(select ns from of where id = n.id and state = 'idle:launch_latency') * 1.0
		/ nullif(idle, 0) as "Launch|percent|launched, not yet started",
	(select ns from of where id = n.id and state = 'idle:queued_other') * 1.0 / nullif(idle, 0)
		as "Dependency|percent|launched, waiting for other streams or events",
	(select ns from of where id = n.id and state = 'idle:unknown') * 1.0 / nullif(idle, 0)
		as "Unknown|percent|no launch is known",
	overlapped as "NCCL overlapped|percent|share of NCCL's time under computing",
	'none' as "*|why"
from named n order by 2 desc, rank, ordinal;
