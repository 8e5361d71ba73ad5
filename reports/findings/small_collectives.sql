-- Latency of many small collectives in a step: what they take after all ranks have come, times the
-- share of the calls that fusion into messages of up to 4 MiB leaves out. Small calls cost the same
-- whatever their size, and all ranks at once. Where ranks lack cores and there are few of them each
-- counts like the lower quartile, less the part in which they had none. One of NCCL right after
-- another is launched, too, and its ranks, that have just met, wait for each other once more: the
-- gap before it, as far as GPUs idle for launches at all, and that wait are spared as well. Not
-- what is under computing, nor more than a rank was in MPI. Their bytes still take what those of a
-- large message of the run take; where it has none, and they could take a part that counts, this is
-- an upper bound.
with steps as (
	select sum(steps) as n from finding_part
), called as (
	select a.*, c.without, c.without < :quiet or a.small >= :calls_many * s.n as all_count
	from finding_collective a, steps s, finding_core c
	where s.n > 0 and a.small > :small_least * s.n
		and a.op in ('allreduce', 'reduce_scatter', 'reducescatter', 'allgather', 'reduce')
), small as (
	select kind, comm_id, op, small as calls, small_bytes as bytes,
		all_count * waited_ns as waited, all_count * gap_ns as gaps,
		case when all_count then small_ns else small * (1 - without) * small_quarter_ns end
			as ns
	from called
), share as (
	-- sums of other threads, under the computing, hold up nobody
	select sum(case when l.is_main then t.ns else 0 end) * 1.0 / nullif(sum(t.ns), 0) as main
	from location_time t join location l on l.id = t.location_id
	where t.run_id = :run and t.state in ('mpi', 'gloo')
), spent as (	-- by each rank in MPI: of operations in flight at once what was waited
	select min(ns) as ns from (select sum(h.ns) as ns from host_time h
			join process p on p.id = h.process_id and p.rank is not null
		where h.run_id = :run and h."window" = 'run' and h.state in ('mpi', 'gloo') group
			by p.id)
), moved as (	-- a byte, by MPI and gloo; of NCCL it is nothing next to a launch
	select min(1.0 * quarter_ns / bytes) as ns from finding_allreduce
), gpu as (
	select (select value from metric where run_id = :run and "window" = 'run'
			and model = 'device' and name = 'nccl_overlap' and subject = '') as overlap,
		(select sum(ns) from finding_gpu
				where state in ('idle:queued_other', 'idle:launch_latency',
					'idle:host_in_cuda_api')) as idle
)
select case a.kind when 'nccl' then (a.ns + a.waited) * (1 - coalesce(g.overlap, 0))
			+ coalesce(min(a.gaps, g.idle), 0)
		else max(0, min(a.ns * coalesce(h.main, 1), coalesce(m.ns, 9e18))
			- a.bytes * coalesce(b.ns, 0)) end
		/ 1e9 * (1 - s.n * max(1.0, a.bytes / s.n / (1.0 * :fused)) / a.calls) as seconds,
	case when a.kind <> 'nccl' and b.ns is null
		and a.bytes * :slow_byte_ns > :moved_part * a.ns then 'bound' end as confidence,
	a.kind, a.comm_id, a.op, a.calls, 1.0 * a.calls / s.n as per_step,
	1.0 * a.bytes / a.calls as bytes, a.bytes / 1e3 / a.calls as kb,
	case when a.bytes < 1000 * a.calls then 'bytes' else 'kb' end as size,
	a.ns / 1e3 / a.calls as us, a.ns / 1e6 / a.calls as ms,
	case when a.ns < 1000000 * a.calls then 'us' else 'ms' end as time
from small a, steps s, share h, spent m, moved b, gpu g, finding_run r;
