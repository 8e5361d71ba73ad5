-- Ranks want a core and have none for a tenth of their time, by the kernel's account of their first
-- threads: other programs have it, the ranks' own other threads, or something else keeps them from
-- cores that are idle. A part of the run ends when the slowest rank is through: what a rank
-- computes and is in I/O would be shorter by the share of it in which it had none for those. While
-- it polls for others, in MPI or for its device, it wants a core, too, and keeps nobody waiting
-- without one; but on one node it is the cores that move the data: what is left in MPI for the
-- slowest rank would be shorter by the mean share of all. Who had the core is known by what ran on
-- the machine only, so a cause counts from a quarter of it on. With GPUs no more than these idle
-- for their hosts. Ranks that take turns because there are too many of them are not told of.
with cause(cause, sure) as (values
	('others', 'medium: what ranks waited by the kernel''s account; who had '
			|| 'their cores is known by machine only'),
	('own', 'low: an upper bound, as if what the other threads do were needless'),
	('unused', 'low: by the kernel''s account of what ranks waited; limits of '
			|| 'CPU time are not recorded, and ranks may want cores at the same '
			|| 'moments')
), hosts as (
	select sum(ns) as ns from finding_gpu
	where state in ('idle:host_compute', 'idle:host_in_cuda_api', 'idle:launch_latency',
			'idle:io_wait', 'idle:wait', 'idle:mpi_wait')
), blamed as (
	select w.node_id, w.process_id, w.share, w.working, w.part as whole, c.cause,
		case c.cause when 'others' then w.others when 'own' then w.own
				else w.unused end as part
	from finding_without w join cause c
), node as (
	select b.cause, b.node_id, count(*) as ranks, avg(b.share) as share, max(b.share) as most,
		avg(b.working) as working, avg(b.part) as part
	from blamed b group by b.cause, b.node_id having max(b.share) >= 0.1
		and sum(b.part) >= 0.25 * sum(b.whole)
), worst as (
	select cause, node_id, ranks, share, most, working, max(part), count(*) as nodes from node
	group by cause
), beside as (	-- of what ran on a machine the children of ranks, in the kernel's account
	select f.machine, sum(s.ns) / r.seconds_all / 1e9 as children from (
		select process_id, max(value) - min(value) as ns from sample
		where run_id = :run and name = 'proc.cpu' and process_id is not null
		group by process_id) s
		join process p on p.id = s.process_id join finding_node f on f.node_id = p.node_id
		join finding_run r
	where p.rank is null group by f.machine
), openmp as (
	select count(*) > 0 and max(value) = '1' and min(value) = '1' as single from environment
	where run_id = :run and key = 'var.OMP_NUM_THREADS' and scope like 'rank:%'
), ran as (
	select *, case cpus when 1 then 'the one core'
			else printf('the %d cores', cpus) end as all_cores,
		case nodes when 1 then ''
				else printf(' of a machine that %d nodes of the run share', nodes)
			end as shared
	from finding_ran
)
select case when exists (select 1 from finding_gpu) then min(l.ns, coalesce(h.ns, 0)) else l.ns end
	/ 1e9,
	printf('%s of node %s%s wanted a core and had none for %.0f %% of %s '
			|| 'time%s, %.0f %% in computing and I/O: %s',
		case w.ranks when 1 then 'the rank' else w.ranks || ' ranks' end, f.hostname,
		case w.nodes when 1 then '' else printf(' (and of %d more)', w.nodes - 1) end,
		100 * w.share, case w.ranks when 1 then 'its' else 'their' end,
		case when w.most >= 1.5 * w.share then printf(' (rank %d: %.0f %%)',
					(select p.rank from finding_without x join process p
			on p.id = x.process_id where x.node_id = w.node_id order by x.share desc
				limit 1), 100 * w.most) else '' end, 100 * w.working,
		case w.cause when 'others' then printf('other programs ran on %.1f of %s%s',
					f.others, f.all_cores, f.shared)
			when 'own' then printf('other threads of the training ran on %.1f of %s%s',
					f.helpers, f.all_cores,
				case when f.cpus < f.cores then printf(' that it may use of %d',
							f.cores) else f.shared end)
			else printf('though on average %.1f of %d cores were idle%s', f.idle,
					f.cores, f.shared) end) as message,
	printf('select subject, name, case unit when ''ns'' then value / 1e9 '
			|| 'else value end as value from metric where run_id = %d and '
			|| '"window" = ''run'' '
		|| 'and model = ''counters'' and name in (''without_core'', '
			|| '''core_waited'', ''core_ran'', ''cpu'')', r.run_id) as evidence,
	case when w.cause = 'others'
			then printf('look at what else runs on node %s; '
				|| 'take nodes for the training alone', f.hostname)
		when w.cause = 'unused' then 'look whether CPU time is limited (nr_throttled in '
			|| 'cpu.stat of the job''s cgroup: ask for more than '
			|| 'cpu.max), or whether threads are bound to the same few ' || 'cores'
		when f.cpus < f.cores
			then printf('give each rank more of the %d cores: mpirun --map-by '
				|| 'slot:PE=N --bind-to core, or --bind-to none; srun '
				|| '--cpus-per-task=N', f.cores)
		when f.readers >= 0.5 * f.helpers
			then 'fewer loader workers a rank, or samples prepared '
			|| 'offline: all cores are taken'
		when o.single and coalesce(b.children, 0) >= 0.5 * f.helpers
			then 'fewer children of the ranks, or less for them to do: '
			|| 'most of these threads are theirs, and OMP_NUM_THREADS ' || 'is 1'
		when o.single then 'look at what threads the ranks have beside OpenMP, as '
			|| 'OMP_NUM_THREADS is 1: of communication (gloo, NCCL), of '
			|| 'loaders, of other libraries'
		else 'fewer threads a rank, no more than cores for all ranks '
			|| 'together: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, '
			|| 'MKL_NUM_THREADS' end as advice,
	c.sure as confidence
from worst w join cause c on c.cause = w.cause join ran f on f.node_id = w.node_id
	join finding_lacking l on l.cause = w.cause
	join hosts h join openmp o join finding_run r left join beside b on b.machine = f.machine;
