-- communication.sql - what ranks sent each other: collectives, and sockets.

create table communicator (
	run_id integer not null references run(id) on delete cascade,
	id integer not null,
	kind text not null,			-- mpi | gloo | nccl
	name text not null,
	size integer not null,
	primary key (run_id, kind, id)
) without rowid;

create table collective (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,			-- mpi | gloo | nccl
	comm_id integer not null,
	seq integer not null,			-- of the communicator's; see tacho-db(5) for send
						-- and receive
	op text not null,
	bytes integer,
	first_ns integer not null,		-- first arrival
	last_ns integer not null,		-- last arrival
	end_ns integer not null,
	last_rank integer,			-- the last to arrive
	algbw real,				-- bytes/s
	busbw real,
	raw_bw real,				-- over the raw duration
	algorithm text,				-- NCCL's algorithm/protocol: ring/simple, tree/ll…
	primary key (run_id, kind, comm_id, seq)
) without rowid;

create table collective_rank (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,
	comm_id integer not null,
	rank integer not null,
	op text not null,
	calls integer not null,
	wait_ns integer not null,
	transfer_ns integer not null,
	primary key (run_id, kind, comm_id, rank, op)
) without rowid;

-- Collectives beyond those that have a row, where a communicator has very many: exact sums.
create table collective_rest (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,
	comm_id integer not null,
	op text not null,
	bytes integer not null,			-- of each; of very many sizes rounded up to a power
						-- of two
	algorithm text,
	calls integer not null,
	total_bytes integer not null,
	skew_ns integer not null,		-- from the first arrival to the last
	transfer_ns integer not null,		-- from the last arrival to the end
	timed integer not null,			-- calls that have a bandwidth
	timed_ns integer not null,		-- their transfer_ns
	algbw real,				-- over timed_ns
	busbw real,
	busbw_sum real not null,		-- of each call's
	busbw_max real
);
create index collective_rest_run on collective_rest(run_id, kind, comm_id);

-- Messages by who sent them to whom, as the sender counts them: of sends in detail, not of
-- collectives; and what one-sided calls moved, as their caller counts it: what it took from another
-- process that one sent.
create table message (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	peer_id integer references process(id) on delete cascade,	-- NULL: beyond so many
	class text not null,			-- mpi | gloo | rma: one-sided
	messages integer not null,
	bytes integer not null
);
create index message_run on message(run_id, process_id);

-- The same between ranks, with their children.
create view message_pair as
with recursive family(process_id, at, rank) as (
	select id, id, rank from process
	union all
	select f.process_id, p.parent_id, q.rank from family f join process p on p.id = f.at
		join process q on q.id = p.parent_id where f.rank is null
)
select m.run_id, a.rank, b.rank as peer_rank, m.class, sum(m.messages) as messages,
	sum(m.bytes) as bytes
from message m join family a on a.process_id = m.process_id and a.rank is not null
	join family b on b.process_id = m.peer_id and b.rank is not null
group by m.run_id, a.rank, b.rank, m.class;

-- Sockets by which processes moved bytes: a row for each end.
create table socket (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	path text not null,			-- as in io_file
	protocol text not null,			-- tcp | udp | unix
	local text,				-- ADDRESS:PORT; NULL: unix
	remote text,
	peer_id integer references process(id) on delete cascade,
						-- at the other end; NULL: not recorded
	writes integer not null,
	reads integer not null,
	bytes_sent integer not null,
	bytes_received integer not null,
	bytes_in_steps integer,			-- of bytes_sent, from the begin of the rank's first
						-- step to the end of its last; NULL: it has none
	send_ns integer not null,
	receive_ns integer not null,
	primary key (run_id, process_id, path)
) without rowid;

-- What the main threads of ranks waited through sockets for other ranks, with their children. Only
-- connections of which each byte was recorded at both ends.
create table socket_wait (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	peer_id integer not null references process(id) on delete cascade,
	waits integer not null,
	late_ns integer not null,		-- until the other end began to send
	transfer_ns integer not null,		-- from then on
	primary key (run_id, process_id, peer_id)
) without rowid;

-- Bytes between ranks, with their children, through sockets, as counted by the sender; a row for
-- each direction. Times are what the main thread of peer_rank waited for them (socket_wait).
create view socket_pair as
with recursive family(process_id, at, rank) as (
	select id, id, rank from process
	union all
	select f.process_id, p.parent_id, q.rank from family f join process p on p.id = f.at
		join process q on q.id = p.parent_id where f.rank is null
)
select s.run_id, a.rank, b.rank as peer_rank, sum(s.bytes_sent) as bytes, sum(s.writes) as writes,
	sum(s.send_ns) as ns, count(*) as sockets,
	sum(s.bytes_in_steps) * 1.0 / nullif((select max(n) from (
		select sum(steps) as n from step_all t where t.run_id = s.run_id
		group by t.process_id
	)), 0) as bytes_per_step,
	(select sum(w.late_ns) from socket_wait w join family f on f.process_id = w.process_id
		join family g on g.process_id = w.peer_id
		where w.run_id = s.run_id and f.rank = b.rank and g.rank = a.rank) as late_ns,
	(select sum(w.transfer_ns) from socket_wait w join family f on f.process_id = w.process_id
		join family g on g.process_id = w.peer_id
		where w.run_id = s.run_id and f.rank = b.rank and g.rank = a.rank) as transfer_ns
from socket s join family a on a.process_id = s.process_id and a.rank is not null
	join family b on b.process_id = s.peer_id and b.rank is not null
where a.rank <> b.rank
group by s.run_id, a.rank, b.rank;

-- Runs of which it is known for whom the main threads of ranks waited through sockets, for nine
-- tenths or more of what they waited but for sleep: figures of communication are about that.
create view socket_run as
select w.run_id from (select run_id, sum(late_ns + transfer_ns) as ns from socket_wait
	group by run_id) w
where w.ns > 0 and w.ns >= 0.9 * (
	(select sum(h.ns) from host_time h join process p on p.id = h.process_id
		where h.run_id = w.run_id and h."window" = 'run' and h.state = 'wait'
		and p.rank is not null)
	- (select total(value) from metric m where m.run_id = w.run_id and m."window" = 'run'
		and m.model = 'host' and m.name = 'slept'));

-- By what the ranks of a run exchange their data, for figures that are called after it.
create view communication as
select id as run_id,
	case when gloo and mpi then 'MPI and gloo' when gloo then 'gloo'
		when not mpi and id in (select run_id from socket_run) then 'sockets' else 'MPI' end
		as name
from (select r.id, exists (select 1 from call c where c.run_id = r.id and c.class = 'gloo') as gloo,
	exists (select 1 from call c where c.run_id = r.id and c.class = 'mpi') as mpi from run r);
