-- Seconds of each rank in collectives: waiting for the last one, and moving data.
select rank as "Rank|count", sum(case when kind = 'mpi' then wait_ns else 0 end) / 1e9
	as "MPI wait|number",
	sum(case when kind = 'mpi' then transfer_ns else 0 end) / 1e9 as "MPI transfer|number",
	sum(case when kind = 'gloo' then wait_ns else 0 end) / 1e9 as "gloo wait|number",
	sum(case when kind = 'gloo' then transfer_ns else 0 end) / 1e9 as "gloo transfer|number",
	sum(case when kind = 'nccl' then wait_ns else 0 end) / 1e9 as "NCCL wait|number",
	sum(case when kind = 'nccl' then transfer_ns else 0 end) / 1e9 as "NCCL transfer|number"
from collective_rank where run_id = :run group by rank having sum(wait_ns + transfer_ns) > 0
order by rank;
