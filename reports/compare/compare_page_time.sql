-- Where the time of a step (a sample, the run) went in both runs.
select case state when 'all' then 'all' when 'io' then 'I/O' when 'mpi' then 'MPI' when 'absent'
		then 'not recorded' when 'omp_idle' then 'OpenMP idle' when 'cuda' then 'CUDA calls'
		when 'memcpy' then 'copies' when 'idle:io_wait' then 'idle: I/O'
		when 'idle:mpi_wait' then 'idle: MPI' when 'idle:gloo_wait' then 'idle: gloo'
		when 'idle:host_compute' then 'idle: host'
		when 'idle:host_in_cuda_api' then 'idle: CUDA calls'
		when 'idle:launch_latency' then 'idle: launch'
		when 'idle:queued_other' then 'idle: dependency'
		else replace(replace(replace(state, 'nccl', 'NCCL'), ':', ': '), '_', ' ') end
		as "State",
	case part when 'host' then 'rank' else 'GPU' end as "Of a",
	base_ns as "Base|ns", new_ns as "New|ns",
	difference_ns as "Difference|ns|new less base, per step (sample, run)",
	difference_ns / nullif((select b.base_ns from compared_time b
		where b.part = t.part and b.state = 'all'), 0) as "Of the base's|percent"
from compared_time t;
