-- Ranks want a core and have none for a tenth of their time, by the kernel's account of their
-- first threads: the CPU quota of their control group keeps them from it, other programs have
-- it, the ranks' own other threads, or something else keeps them from cores that are idle. A
-- part of the run ends when the slowest rank is through: what a rank computes and is in I/O
-- would be shorter by the share of it in which it had none for those. While it polls for others,
-- in MPI or for its device, it wants a core, too, and nothing is promised for that: who waits
-- there mostly waits for others anyway. Who had the core is known by what ran on the machine
-- only, so a cause counts from a quarter of it on. With GPUs no more than these idle for their
-- hosts. Ranks that take turns because there are too many of them are not reported.
with cause(cause) as (values ('quota'), ('others'), ('own'), ('unused')
), hosts as (
	select sum(ns) as ns from finding_gpu
	where state in ('idle:host_compute', 'idle:host_in_cuda_api', 'idle:launch_latency',
			'idle:io_wait', 'idle:wait', 'idle:mpi_wait')
), blamed as (
	select w.node_id, w.process_id, w.share * case c.cause when 'quota' then w.limited
			else 1 - w.limited end as share,
		w.working * case c.cause when 'quota' then w.limited
			else 1 - w.limited end as working,
		w.part as whole, c.cause, case c.cause when 'quota' then w.quota
				when 'others' then w.others when 'own' then w.own
				else w.unused end as part
	from finding_without w join cause c
), node as (
	select b.cause, b.node_id, count(*) as ranks, avg(b.share) as share, max(b.share) as most,
		avg(b.working) as working, avg(b.part) as part
	from blamed b group by b.cause, b.node_id having max(b.share) >= :crowded
		and sum(b.part) >= :part * sum(b.whole)
), worst as (
	select cause, node_id, ranks, share, most, working, max(part), count(*) as nodes from node
	group by cause
), forked as (	-- of what ran on a machine the children of ranks, in the kernel's account
	select f.machine, sum(s.ns) / r.whole / 1e9 as children from (
		select process_id, max(value) - min(value) as ns from sample
		where run_id = :run and name = 'proc.cpu' and process_id is not null
		group by process_id) s
		join process p on p.id = s.process_id join finding_node f on f.node_id = p.node_id
		join finding_run r
	where p.rank is null group by f.machine
), kept as (	-- what step_compute has not promised of the want of cores
	select max(0, 1 - coalesce((select total(coalesce((
			select nullif(total(g.contention_ns), 0) from straggler g
				where g.run_id = :run and g.rank = o.rank),
			1e9 * o.seconds * w.part))
			from temp.found o join process p on p.run_id = :run and p.rank = o.rank
			join finding_without w on w.process_id = p.id
			where o.rule = 'step_compute')
		/ nullif((select sum(ns) from finding_lacking), 0), 0)) as part
), openmp as (
	select count(*) > 0 and max(value) = '1' and min(value) = '1' as single from environment
	where run_id = :run and key = 'var.OMP_NUM_THREADS' and scope like 'rank:%'
)
select k.part * case when exists (select 1 from finding_gpu) then min(l.ns, coalesce(h.ns, 0))
		else l.ns end / 1e9 as seconds,
	w.ranks, f.hostname, case when w.nodes > 1 then w.nodes - 1 end as more_nodes,
	100 * w.share as percent, 100 * w.working as working,
	case when w.most >= :busier * w.share then (select p.rank from blamed x
		join process p on p.id = x.process_id where x.node_id = w.node_id
			and x.cause = w.cause order by x.share desc limit 1) end as worst_rank,
	100 * w.most as worst,
	f.others, f.helpers, f.idle, f.cores, f.cpus,
	case when f.nodes > 1 then f.nodes end as machine_nodes,
	case when w.cause = 'own' and f.cpus < f.cores then 'own_bound' else w.cause end as cause,
	case when w.cause <> 'own' then w.cause when f.cpus < f.cores then 'bound'
		when f.readers >= :most * f.helpers then 'readers'
		when o.single and coalesce(b.children, 0) >= :most * f.helpers then 'children'
		when o.single then 'single' else 'threads' end as advice,
	w.cause as kind, w.cause as brief, w.cause as confidence, w.cause as message,
	(select min(l.quota) from finding_limited l join finding_without x
		on x.process_id = l.process_id where x.node_id = w.node_id) as quota
from worst w join finding_ran f on f.node_id = w.node_id
	join finding_lacking l on l.cause = w.cause
	join hosts h join openmp o join kept k join finding_run r
	left join forked b on b.machine = f.machine;
