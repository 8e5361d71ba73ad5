-- Waiting and waking calls; the percentage is of the time in all recorded calls.
select 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (), 0)
	as "Time|share|of the time in all calls below; calls inside other calls count in both",
	sum(total_ns) as "Total|ns|inclusive, over all processes",
	sum(total_ns - helper_ns)
		as "Main threads|ns|other threads mostly wait for something to do",
	sum(calls) as "Calls|count",
	1.0 * sum(total_ns) / nullif(sum(calls), 0) as "Avg|ns",
	(select ns from median m where m.run_id = :run and m.kind = 'call' and m.name = call.name)
		as "Med|ns|of all calls, within 1/32 of itself",
	min(min_ns) as "Min|ns", max(max_ns) as "Max|ns",
	max(total_ns) / nullif(avg(total_ns), 0)
		as "Max ÷ mean|number|the highest of a process ÷ the mean of those that call it",
	class as "Class", name as "Name|path", 'not kept for this call' as "*|why"
from call where run_id = :run and class = 'wait'
	and process_id not in (select id from process_of_other_attempt)
group by class, name
order by sum(total_ns - helper_ns) desc, sum(total_ns) desc limit 300;
