-- What ranks sent each other through sockets, with their children, where it is a megabyte or more.
-- Where parts of the run are not in detail it is of the rest, and of steps in the rest nobody knows
-- how many there are.
with part as (
	select exists (select 1 from metric where run_id = :run and "window" = 'run'
		and model = 'quality' and name = 'not_in_detail' and value > 0) as is_part
)
select case when not is_part then sum(bytes_per_step) end as "Step|bytes",
	sum(bytes) as "All|bytes",
	case when not is_part then (select rank from socket_pair where run_id = :run
		order by bytes desc, rank limit 1) end as "From|count",
	case when not is_part then (select peer_rank from socket_pair where run_id = :run
		order by bytes desc, rank limit 1) end as "To|count"
from socket_pair, part where run_id = :run having sum(bytes) >= 1e6;
