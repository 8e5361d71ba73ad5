-- What ranks sent each other through sockets, with their children, where it is a megabyte or more.
select sum(bytes_per_step) as "Step|bytes", sum(bytes) as "All|bytes",
	(select rank from socket_pair where run_id = :run order by bytes desc, rank limit 1)
		as "From|count",
	(select peer_rank from socket_pair where run_id = :run order by bytes desc, rank limit 1)
		as "To|count"
from socket_pair where run_id = :run having sum(bytes) >= 1e6;
