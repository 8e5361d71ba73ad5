-- Messages of MPI between ranks, and what one-sided calls moved.
select rank as "From|count", peer_rank as "To|count",
	case class when 'rma' then 'one-sided' else 'sends' end as "By",
	messages as "Messages|count",
	bytes as "Sent|bytes", 1.0 * bytes / messages as "per message|bytes",
	1.0 * bytes / nullif((select max(n) from (select sum(steps) as n from step_all t
		where t.run_id = :run group by t.process_id)), 0) as "per step|bytes",
	'no steps' as "*|why"
from message_pair where run_id = :run and class in ('mpi', 'rma')
	and not exists (select 1 from host_time where run_id = :run and state = 'not_in_detail')
order by bytes desc, messages desc, rank, peer_rank limit 1000;
