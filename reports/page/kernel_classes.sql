-- Kernels by class, with what of them used tensor cores.
select class as "Class", 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (), 0)
	as "Time|share|of the time in all kernels and copies",
	sum(total_ns) as "Total|ns", sum(calls) as "Calls|count",
	1.0 * sum(total_ns) / nullif(sum(calls), 0) as "Avg|ns",
	case when class not in ('nccl', 'memory') then 1.0
			* sum(case tensor_core when 1 then total_ns else 0 end)
		/ nullif(sum(case when tensor_core is not null then total_ns end), 0) end
		as "Tensor cores|percent|of the time in kernels whose name shows it",
		'they could use none, or no name shows it' as "*|why"
from kernel where run_id = :run group by class order by sum(total_ns) desc;
