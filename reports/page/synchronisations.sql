-- Calls that wait for a device.
select name as "Call|path", sum(calls) as "Calls|count",
	sum(total_ns) as "Total|ns|over all processes",
	1.0 * sum(total_ns) / nullif(sum(calls), 0) as "Avg|ns",
	min(min_ns) as "Min|ns", max(max_ns) as "Max|ns",
	1.0 * sum(calls) / nullif((select sum(steps) from step_all where run_id = :run), 0)
		as "per step|number|calls per rank and step",
	case when not exists (select 1 from step where run_id = :run) then 'no steps are known' end
		as "|why"
from call where run_id = :run and class = 'cuda'
	and process_id not in (select id from process_of_other_attempt)
	and (name like '%Synchronize%' or name like '%Query' or name like 'cudaMemcpy%'
		and name not like '%Async%')
group by name order by sum(total_ns) desc;
