-- GPU time by activity state: the states of all devices of the job over the run.
with state(ord, state, label, meaning) as (values
	(1, 'compute', 'compute', 'kernels other than NCCL''s'),
	(2, 'nccl_transfer', 'NCCL transfer', 'NCCL moving data while nothing is computed'),
	(3, 'nccl_wait', 'NCCL wait', 'NCCL waiting for another rank while nothing is computed'),
	(3, 'nccl', 'NCCL', 'NCCL active while nothing is computed; a summary does not separate '
			|| 'waiting from moving data'),
	(4, 'memcpy', 'copies', 'copies that nothing overlaps'),
	(5, 'idle:io_wait', 'idle: I/O', 'nothing launched: the host waited for files'),
	(6, 'idle:mpi_wait', 'idle: MPI', 'nothing launched: the host was in MPI'),
	(7, 'idle:checkpoint', 'idle: checkpoint',
			'nothing launched: the host wrote a checkpoint'),
	(8, 'idle:host_compute', 'idle: host', 'nothing launched: the host computed'),
	(9, 'idle:host_in_cuda_api', 'idle: CUDA calls',
			'nothing launched: the host was in CUDA calls'),
	(10, 'idle:wait', 'idle: wait', 'nothing launched: the host waited for another thread'),
	(11, 'idle:launch_latency', 'idle: launch', 'launched, not yet started'),
	(12, 'idle:queued_other', 'idle: dependency',
			'launched, waiting for other streams or events'),
	(13, 'idle:unknown', 'idle: unknown', 'no launch is known'),
	(14, 'not_in_detail', 'not in detail',
		'of which there are totals only, or no kernels as recording them is limited'),
	(15, 'absent', 'not recorded', 'before the start, after the end or not captured'))
select s.label as "State", s.state as "Key|state", sum(t.ns) as "Time|ns",
	1.0 * sum(t.ns) / nullif(sum(sum(t.ns)) over (), 0) as "Share|percent",
	s.meaning as "Meaning"
from device_time t join state s on s.state = t.state
where t.run_id = :run and t."window" = 'run'
group by s.ord having sum(t.ns) > 0 order by s.ord;
