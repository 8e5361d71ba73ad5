-- Bytes and messages of MPI from rank to rank, as the senders counted them, those of one-sided
-- calls as their callers did. A cell for every pair,
-- as an image needs all; of more than 128 ranks none. Not where a part of the run is known by
-- totals only, which do not say to whom.
with ranks as (
	select rank from process where run_id = :run and rank is not null
), pair as (
	select rank, peer_rank as peer, sum(bytes) as bytes, sum(messages) as messages
	from message_pair
	where run_id = :run and class in ('mpi', 'rma')
	group by rank, peer_rank
)
select a.rank as "From|count", b.rank as "To|count", coalesce(s.bytes, 0) / 1e6 as "MB|number",
	coalesce(s.messages, 0) as "Messages|count"
from ranks a cross join ranks b left join pair s on s.rank = a.rank and s.peer = b.rank
where exists (select 1 from pair where bytes > 0)
	and not exists (select 1 from host_time where run_id = :run and state = 'not_in_detail')
	and (select count(*) from ranks) between 2 and 128
order by a.rank, b.rank;
