-- GPUs that the job has and computes nothing on. With equal parts of the work of the others.
with gpu as (
	select d.id, d.node_id, d.name,
		coalesce(sum(case when t.state = 'compute' then t.ns end), 0) as compute
	from device d left join device_time t on t.run_id = d.run_id and t.device_id = d.id
		and t."window" = 'run'
	where d.run_id = :run group by d.id
), counts as (
	select count(*) as n, sum(compute = 0) as unused, sum(compute) as compute,
		(select n.hostname from gpu u join node n on n.id = u.node_id where u.compute = 0
				order by u.id limit 1) as hostname
	from gpu
)
select 1.0 * c.compute / (c.n - c.unused) * c.unused / c.n / 1e9,
	printf('%d of %d GPUs compute nothing%s', c.unused, c.n,
			coalesce(', the first of them on node ' || c.hostname, '')) as message,
	printf('select d.id, d.name, d.uuid, t.state, t.ns / 1e9 as s from '
			|| 'device d left join device_time t on t.run_id = d.run_id '
		|| 'and t.device_id = d.id and t.window = ''run'' where ' || 'd.run_id = %d',
		r.run_id) as evidence,
	'start a rank for each GPU, or ask for fewer; see '
		|| 'CUDA_VISIBLE_DEVICES and how ranks choose their device' as advice,
	'low: as if the work were shared by all GPUs without loss' as confidence
from counts c, finding_run r where c.unused > 0 and c.unused < c.n;
