-- Bytes and messages from rank to rank: through sockets, and of the sends and receives of NCCL,
-- whose numbers say between which ranks of the communicator they were (tacho-db(5)): of those of
-- all ranks, numbered as in the job, which who arrived last agrees with, and of which each message
-- has a row. A cell for every pair, as an image needs all; of more than 128 ranks none.
with sent as (
	select comm_id, op, seq / 536870912 - 1 >> 17 as rank,
		(seq / 536870912 - 1) & 131071 as peer, bytes, last_rank
	from collective where run_id = :run and kind = 'nccl' and seq >= 536870912
), known as (
	select id from communicator c where run_id = :run and kind = 'nccl'
		and size = (select nranks from run where id = :run)
		and not exists (select 1 from sent s where s.comm_id = c.id
			and s.last_rank not in (s.rank, s.peer))
		and not exists (select 1 from collective_rest r where r.run_id = :run
			and r.kind = 'nccl' and r.comm_id = c.id
			and r.op in (select op from sent))
), pair as (
	select rank, peer_rank as peer, bytes, writes as messages from socket_pair
	where run_id = :run
	union all
	select rank, peer, bytes, 1 from sent where comm_id in (select id from known)
), ranks as (
	select rank from process where run_id = :run and rank is not null
), summed as (
	select rank, peer, sum(bytes) as bytes, sum(messages) as messages from pair
	group by rank, peer
)
select a.rank as "From|count", b.rank as "To|count", coalesce(s.bytes, 0) / 1e6 as "MB|number",
	coalesce(s.messages, 0) as "Messages|count"
from ranks a cross join ranks b left join summed s on s.rank = a.rank and s.peer = b.rank
where exists (select 1 from summed where bytes > 0)
	and (select count(*) from ranks) between 2 and 128
order by a.rank, b.rank;
