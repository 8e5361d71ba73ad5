-- Bytes from rank to rank through sockets, with their children, most first.
select 'rank ' || rank as "From", 'rank ' || peer_rank as "To", bytes as "Sent|bytes",
	case when not exists (select 1 from metric where run_id = :run and "window" = 'run'
			and model = 'quality' and name = 'not_in_detail' and value > 0)
		then bytes_per_step end as "a step|bytes|of what was sent in steps",
	writes as "Calls|count", 1.0 * bytes / nullif(writes, 0) as "per call|bytes",
	ns as "Time|ns|in the sender's calls", sockets as "Sockets|count",
	'no step was found, or not all of them are in detail' as "*|why"
from socket_pair where run_id = :run order by bytes desc, rank, peer_rank limit 100;
