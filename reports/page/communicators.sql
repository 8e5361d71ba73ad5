-- needs: collective_tables
-- Communicators by what their collectives took: who is in them, as far as ranks took part, and what
-- was moved. Members with equal distances are named as such: neighbours are often a tensor's or a
-- pipeline's group, every nth rank those that share data. What a group is for is said where its
-- name says it; where it only sends and receives; and where groups of neighbours and groups of
-- every nth rank cover all ranks of the job like rows and columns.
with member as (
	select distinct kind, comm_id, rank from collective_rank where run_id = :run
), span as (
	select kind, comm_id, count(*) as n, min(rank) as low, max(rank) as high,
		case when count(*) > 1 then (max(rank) - min(rank)) / (count(*) - 1) end as stride
	from member group by kind, comm_id
), sends as (
	select kind, comm_id from collective_rank where run_id = :run group by kind, comm_id
	having min(op in ('send', 'recv', 'sendrecv'))
), block as (	-- groups of one shape that cover the job, each rank once
	select s.kind, s.n, s.stride from span s join run r on r.id = :run
	where (s.kind, s.comm_id) not in (select kind, comm_id from sends)
		and s.n between 2 and r.nranks - 1 and s.high - s.low = s.stride * (s.n - 1)
	group by s.kind, s.n, s.stride, r.nranks
	having count(*) * s.n = r.nranks and count(distinct s.low) = count(*)
), purpose as (
	select s.kind, s.comm_id, case
		when lower(c.name) glob '*tensor*' or lower(c.name) in ('tp', 'tp_group')
			then 'tensor'
		when lower(c.name) glob '*pipeline*' or lower(c.name) in ('pp', 'pp_group')
			then 'pipeline'
		when lower(c.name) glob '*data*parallel*' or lower(c.name) in ('dp', 'dp_group')
			then 'data'
		when lower(c.name) glob '*expert*' then 'expert'
		when (s.kind, s.comm_id) in (select kind, comm_id from sends)
			then case when s.n > 1 then 'pipeline, as it only sends and receives' end
		when s.stride = 1 and exists (select 1 from block b join block o
				on o.kind = b.kind and o.stride = b.n
			where b.kind = s.kind and b.n = s.n and b.stride = 1)
			then 'tensor, by its members'
		when s.stride > 1 and exists (select 1 from block b join block o
				on o.kind = b.kind and o.stride = 1 and o.n = b.stride
			where b.kind = s.kind and b.n = s.n and b.stride = s.stride)
			then 'data, by its members'
		when s.n = r.nranks then 'all ranks' end as purpose
	from span s join run r on r.id = :run left join communicator c on c.run_id = :run
		and c.kind = s.kind and c.id = s.comm_id
), named as (
	select s.*, case when n = 1 then 'rank ' || low when stride = 1 and high - low = n - 1
			then 'ranks ' || low || ' to ' || high
		when high - low = stride * (n - 1) and not exists (select 1 from member m
				where m.kind = s.kind and m.comm_id = s.comm_id
				and (m.rank - s.low) % s.stride <> 0)
			then printf('ranks %d to %d, every %d%s', low, high, stride, case
				when stride % 100 between 11 and 13 then 'th' when stride % 10 = 1
				then 'st' when stride % 10 = 2 then 'nd' when stride % 10 = 3
				then 'rd' else 'th' end)
		else n || ' ranks from ' || low || ' to ' || high end as members
	from span s
), moved as (
	select kind, comm_id, sum(many) as many, sum(bytes) as bytes from (
		select kind, comm_id, 1 as many, bytes from collective where run_id = :run
		union all
		select kind, comm_id, calls, total_bytes from collective_rest where run_id = :run)
	group by kind, comm_id
), spent as (
	select kind, comm_id, sum(wait_ns) as wait, sum(transfer_ns) as transfer
	from collective_rank where run_id = :run group by kind, comm_id
)
select coalesce(c.name, 'communicator ' || s.comm_id) as "Communicator",
	upper(s.kind) as "By", coalesce(c.size, n.n) as "Ranks|count",
	n.members as "Members||ranks that took part in its collectives",
	coalesce(p.purpose, 'not known')
		as "Group||of what parallelism: as its name says, or what it does, or who is in it",
	m.many as "Collectives|count", m.bytes as "Moved|bytes|sum of the buffers",
	s.wait as "Wait|ns|of all ranks, until the last one had arrived",
	s.transfer as "Transfer|ns|of all ranks, after that"
from spent s join named n on n.kind = s.kind and n.comm_id = s.comm_id
	join purpose p on p.kind = s.kind and p.comm_id = s.comm_id
	left join moved m on m.kind = s.kind and m.comm_id = s.comm_id
	left join communicator c on c.run_id = :run and c.kind = s.kind and c.id = s.comm_id
order by s.wait + s.transfer desc, s.kind, s.comm_id limit 200;
