-- In the manner of nvprof: kernels and copies of all GPUs.
select g."Time %" as "Time|share|of the time in all kernels and copies",
	g."Total" as "Total|ns|over all GPUs", g."Calls" as "Calls|count", g."Avg" as "Avg|ns",
	g."Med" as "Med|ns", g."Min" as "Min|ns", g."Max" as "Max|ns", g."StdDev" as "StdDev|ns",
	k.class as "Class",
	case when k.class in ('nccl', 'memory') then '' when k.tensor = 1 then 'yes'
			when k.tensor = 0 then 'no' else '?' end
		as "Tensor cores||by the kernel's name; ?: the name does not show it",
	g."Name" as "Name|function",
	'not known' as "*|why"
from gpu_summary g left join (select name, max(class) as class, max(tensor_core) as tensor
		from kernel where run_id = :run group by name) k on k.name = g."Name"
where g.run_id = :run order by g."Total" desc limit 1000;
