-- Bytes from rank to rank through sockets, with their children, most first.
select 'rank ' || rank as "From", 'rank ' || peer_rank as "To", bytes as "Sent|bytes",
	bytes_per_step as "a step|bytes|of what was sent in steps",
	writes as "Calls|count", 1.0 * bytes / nullif(writes, 0) as "per call|bytes",
	ns as "Time|ns|in the sender's calls", sockets as "Sockets|count",
	'no step was found' as "*|why"
from socket_pair where run_id = :run order by bytes desc, rank, peer_rank limit 100;
