-- What ranks spent on files, but for those of the system, read when a program begins, and what is
-- none (sockets, pipes; but a timer, which stands for storage that is slow: tacho-trainer --plant
-- slow-storage). `wrote`: on writing, and on opening, closing and syncing what is written, less
-- what threads of a rank did that only write. Where checkpoints are a phase they have a rule of
-- their own.
create temp table finding_own as
with phase as (
	select exists (select 1 from finding_phase
			where name like '%checkpoint%' or name like '%ckpt%') as is_marked
), file as (
	select f.process_id, f.class, f.ns, case when f.bytes_written = 0 then 0 else
		coalesce(1.0 * f.ns * (f.write_ns + f.meta_ns)
				/ nullif(f.read_ns + f.write_ns + f.meta_ns, 0), 0) end as wrote
	from io_file f join process p on p.id = f.process_id
	where f.run_id = :run and p.rank is not null and (f.class <> 'other'
		or f.path = 'anon_inode:[timerfd]' or f.bytes_written > 0
		and not (f.path glob '[(]*' or f.path glob 'std*' or f.path glob '/proc/*'
				or f.path glob '/sys/*'
			or f.path glob '/dev/*' or f.path glob 'socket:*' or f.path glob 'pipe:*'
			or f.path glob 'anon_inode:*' or f.path glob 'memfd:*'))
), beside as (
	select l.process_id, sum(t.ns) as ns from location l
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
	where l.run_id = :run and not l.is_main and l.bytes_read = 0 and t.state = 'io'
	group by l.process_id
)
select f.process_id, sum(f.ns - f.wrote) as read,
	max(0, sum(case when f.class = 'checkpoint' and h.is_marked then 0 else f.wrote end)
			- coalesce(b.ns, 0)) as wrote
from file f join phase h left join beside b on b.process_id = f.process_id group by f.process_id;

-- Of the main threads' I/O what they read, without prefetching, and what they write.
create temp table finding_io as
select i.io, i.read, min(i.io - i.read, coalesce((select max(wrote) from finding_own), 0)) as wrote
from (select sum(io) as io, case when exists (select 1 from finding_reader) then 0
	else min(sum(io), coalesce((select max(read) from finding_own), 0)) end as read
		from finding_input) i;

-- Ranks that do nearly all I/O, 20 times as much as any other: by time, and by calls or bytes, as a
-- slow disk has as many as others. Readers do it for all.
create temp table finding_io_alone as
with does as materialized (
	select p.rank, sum(c.total_ns) as ns, sum(c.calls) as calls,
		total(c.bytes_sent) + total(c.bytes_received) as bytes
	from call c join process p on p.run_id = c.run_id and p.id = c.process_id
	where c.run_id = :run and c.class = 'io' and p.rank is not null group by p.rank
), most as materialized (	-- the most of all others, the second for the rank that has it
	select max(ns) as ns, max(calls) as calls, max(bytes) as bytes,
		(select ns from does order by ns desc limit 1 offset 1) as ns2,
		(select calls from does order by calls desc limit 1 offset 1) as calls2,
		(select bytes from does order by bytes desc limit 1 offset 1) as bytes2
	from does
)
select d.rank from does d, most m
where not exists (select 1 from finding_reader)
	and d.ns > :io_times * coalesce(iif(d.ns < m.ns, m.ns, m.ns2), 0)
	and (d.calls > :io_times * coalesce(iif(d.calls < m.calls, m.calls, m.calls2), 0)
		or d.bytes > :io_times * coalesce(iif(d.bytes < m.bytes, m.bytes, m.bytes2), 0));
