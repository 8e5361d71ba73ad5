-- Per rank: waiting for the last to arrive, and moving data.
select 'rank ' || rank as "Rank", sum(calls) as "Calls|count",
	sum(wait_ns) as "Wait|ns|until the last rank had arrived",
	sum(transfer_ns) as "Transfer|ns|after the last rank had arrived",
	1.0 * sum(wait_ns) / nullif(sum(wait_ns + transfer_ns), 0)
		as "Waiting|percent|share of the time in collectives"
from collective_rank where run_id = :run and kind in ('mpi', 'gloo') group by rank order by
	sum(wait_ns) desc, rank;
