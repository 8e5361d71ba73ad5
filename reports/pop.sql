-- The efficiency hierarchy: a row per figure, a column per phase. A new figure
-- is a line of `figure`; figures that the run has not are left out.
with figure(ord, depth, model, name, label, meaning) as (values
	(10, 0, 'mpi', 'parallel_efficiency', 'MPI parallel efficiency', 'average time outside MPI ÷ run time = load balance × communication'),
	(11, 1, 'mpi', 'load_balance', 'Load balance', 'average time outside MPI ÷ that of the busiest rank: 1 when all work equally long'),
	(12, 1, 'mpi', 'communication_efficiency', 'Communication efficiency', 'time outside MPI of the busiest rank ÷ run time = serialisation × transfer'),
	(13, 2, 'mpi', 'serialisation_efficiency', 'Serialisation efficiency', 'what is lost to ranks waiting for each other, even on an infinitely fast network'),
	(14, 2, 'mpi', 'transfer_efficiency', 'Transfer efficiency', 'what is lost to moving data: run time with an ideal network ÷ run time'),
	(15, 0, 'hybrid', 'parallel_efficiency', 'MPI × threads parallel efficiency', 'average useful time of all threads ÷ run time'),
	(16, 1, 'hybrid', 'mpi_parallel_efficiency', 'MPI', 'time outside MPI ÷ run time'),
	(17, 1, 'hybrid', 'thread_efficiency', 'Threads', 'what is lost to threads that are not useful; above 1 when the others are busier than the main one'),
	(20, 0, 'host', 'host_parallel_efficiency', 'Host parallel efficiency', 'average useful time ÷ run time = the four below multiplied'),
	(21, 1, 'host', 'mpi_parallel_efficiency', 'MPI', 'time outside MPI ÷ run time'),
	(22, 1, 'host', 'device_offload_efficiency', 'Device offload', 'share of the time outside MPI that is not spent in CUDA calls'),
	(23, 1, 'host', 'handover_efficiency', 'Hand-over', 'share of it that is not spent waiting for other threads and processes'),
	(24, 1, 'host', 'io_efficiency', 'I/O', 'useful time ÷ (useful time + file I/O of the main thread)'),
	(30, 0, 'device', 'device_parallel_efficiency', 'Device parallel efficiency (level A)', 'compute time of all GPUs ÷ (GPUs × time)'),
	(31, 1, 'device', 'load_balance', 'Load balance', 'average compute time ÷ that of the busiest GPU'),
	(32, 1, 'device', 'communication_efficiency', 'Communication efficiency', 'NCCL × memory transfer'),
	(33, 2, 'device', 'nccl_efficiency', 'NCCL', 'compute ÷ (compute + exposed NCCL), each of the busiest GPU'),
	(34, 2, 'device', 'memory_transfer_efficiency', 'Memory transfer', 'what exposed copies cost'),
	(35, 1, 'device', 'orchestration_efficiency', 'Orchestration', 'time in which the busiest GPU had anything to do ÷ time'),
	(40, 0, 'replay', 'device_parallel_efficiency', 'Device parallel efficiency (replay)', 'the same figure, explained by replaying the run with one cost after another removed'),
	(41, 1, 'replay', 'transfer_efficiency', 'Transfer', 'an ideal network'),
	(42, 1, 'replay', 'memory_efficiency', 'Memory', 'and copies that take no time'),
	(43, 1, 'replay', 'io_efficiency', 'I/O', 'and file I/O that takes no time'),
	(44, 1, 'replay', 'host_efficiency', 'Host', 'and host work that takes no time'),
	(45, 1, 'replay', 'serialisation_efficiency', 'Serialisation', 'dependences between devices that remain'),
	(46, 1, 'replay', 'load_balance', 'Load balance', 'average ÷ maximum compute time')
), spans as (
	select name, sum(ns) as ns, min(first) as first from (
		select name, instance, max(end_ns) - min(start_ns) as ns, min(start_ns) as first
		from phase where run_id = :run group by name, instance)
	group by name
), windows as (
	select 'run' as w, 'run' as label, 0 as ord
	union all
	select 'phase:' || name, name, row_number() over (order by first)
	from (select name, first from spans order by ns desc limit 9)
), shown as (
	select distinct f.* from figure f join metric m on m.run_id = :run and m."window" = 'run'
		and m.model = f.model and m.name = f.name and m.subject = ''
)
select f.label as "Figure", f.depth as "Depth|count", f.meaning as "Meaning",
	w.label as "Window", m.value as "Value|efficiency", m.flag as "Reason|why",
	f.model as "Model", f.name as "Name"
from shown f cross join windows w
	left join metric m on m.run_id = :run and m."window" = w.w and m.model = f.model
		and m.name = f.name and m.subject = ''
order by f.ord, w.ord;
