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
