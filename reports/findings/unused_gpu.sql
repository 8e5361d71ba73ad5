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
select 1.0 * c.compute / (c.n - c.unused) * c.unused / c.n / 1e9 as seconds, c.unused,
	c.n as gpus, c.hostname
from counts c, finding_run r where c.unused > 0 and c.unused < c.n;
