-- What NCCL's proxy reported of the network (TACHO_NCCL_SAMPLE), a row for each rank and peer of a
-- communicator.
create temp table finding_sent as
select cast(substr(scope, 6) as integer) as rank, value ->> 'comm' as comm,
	value ->> 'rank' as number, value ->> 'peer' as peer, nullif(value ->> 'nic', '') as nic,
	1.0 * (value ->> 'bytes') / (value ->> 'net_ns') as gb
from (select scope, iif(json_valid(value), value, '{}') as value from environment
	where run_id = :run and key glob 'nccl_link.[0-9]*')
where value ->> 'send' = 1
	and value ->> 'bytes' >= :fused and value ->> 'net_ns' > 0;

-- The slowest of these links, and how fast the middle one is. A peer is a number in the
-- communicator: its rank is that of the process with this number.
create temp table finding_peer as
select s.rank, coalesce((select o.rank from finding_sent o
			where o.comm = s.comm and o.number = s.peer limit 1), s.peer) as peer,
	s.nic, s.gb, count(*) as n, avg(o.gb) filter (where nth in ((many + 1) / 2, many / 2 + 1))
		as middle_gb
from (select min(gb) as gb, rank, comm, peer, nic from finding_sent) s,
	(select gb, row_number() over (order by gb) as nth, count(*) over () as many
		from finding_sent) o
having count(*) > 0;
