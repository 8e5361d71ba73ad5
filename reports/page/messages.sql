-- Calls of MPI that send or receive, as counted by the callers.
select name as "Call|path", sum(calls) as "Calls|count", sum(bytes_sent) as "Sent|bytes",
	sum(bytes_received) as "Received|bytes",
	1.0 * (coalesce(sum(bytes_sent), 0) + coalesce(sum(bytes_received), 0))
		/ nullif(sum(calls), 0) as "per call|bytes", sum(total_ns) as "Time|ns",
	'the call does not say' as "*|why"
from call where run_id = :run and class in ('mpi', 'gloo')
	and process_id not in (select id from process_of_other_attempt)
	and coalesce(bytes_sent, 0) + coalesce(bytes_received, 0) > 0
group by name order by sum(coalesce(bytes_sent, 0) + coalesce(bytes_received, 0)) desc;
