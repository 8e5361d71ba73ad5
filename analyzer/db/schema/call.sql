-- call.sql - calls of the host, kernels and copies, summed up by name.

-- Calls of host regions, per process (MPI, I/O, waits, CUDA API, NCCL).
create table call (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	class text not null,			-- mpi gloo io wait cuda nccl omp user
	calls integer not null,
	total_ns integer not null,		-- inclusive
	min_ns integer not null,
	max_ns integer not null,
	median_ns real,
	stddev_ns real,
	bytes_sent integer,
	bytes_received integer,
	-- of calls and total_ns: by threads other than the main one
	helper_calls integer not null default 0,
	helper_ns integer not null default 0,
	primary key (run_id, process_id, name)
) without rowid;

-- Which regions of a rank's main thread were entered inside of which: a tree per process. Calls
-- that are known by their totals only are not in it.
create table call_path (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	n integer not null,			-- of the node, from 1
	caller integer,				-- n of what it was entered in; NULL: nothing
	name text not null,			-- all steps are 'step'
	class text not null,
	calls integer not null,
	total_ns integer not null,		-- inclusive
	primary key (run_id, process_id, n)
) without rowid;

create table kernel (
	run_id integer not null references run(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	name text not null,			-- demangled
	class text not null,
	tensor_core integer,			-- 1 yes, 0 no, NULL the name does not show it
	calls integer not null,
	total_ns integer not null,
	min_ns integer not null,
	max_ns integer not null,
	median_ns real,
	stddev_ns real,
	bytes integer,
	primary key (run_id, device_id, name)
) without rowid;

-- Copies and sets of a device by kind of host memory ('' = not known, or none involved).
create table copy (
	run_id integer not null references run(id) on delete cascade,
	device_id integer not null references device(id) on delete cascade,
	op text not null,			-- memcpy_h2d memcpy_d2h memcpy_d2d memcpy_p2p
						-- memset
	memory text not null,			-- pageable pinned managed …
	copies integer not null,
	bytes integer not null,
	total_ns integer not null,
	primary key (run_id, device_id, op, memory)
) without rowid;

-- Medians and deviations over all processes or devices, which cannot be derived from those of each.
create table median (
	run_id integer not null references run(id) on delete cascade,
	kind text not null,			-- call | kernel
	name text not null,
	ns real,
	stddev real,
	primary key (run_id, kind, name)
) without rowid;

-- Calls of the host that wait for a device, or hold the host up until a copy has been made.
create view synchronisation as
select c.run_id, c.process_id, c.name,
	case when c.name glob '*StreamSynchronize*' then 'stream'
		when c.name glob '*EventSynchronize*' then 'event'
		when c.name glob '*Synchronize*' then 'device'
		when c.name glob '*Query*' then 'query'
		when c.name glob '*Free*' then 'free' else 'copy' end as kind,
	c.calls, c.total_ns, c.max_ns,
	1.0 * c.calls / nullif((select sum(steps) from step_all s
		where s.run_id = c.run_id and s.process_id = c.process_id), 0) as calls_per_step
from call c where c.class = 'cuda' and (c.name glob '*Synchronize*' or c.name glob '*StreamQuery*'
	or c.name glob '*EventQuery*' or c.name in ('cudaFree', 'cuMemFree', 'hipFree')
	or (c.name glob '*Memcpy*' and c.name not glob '*Async*'));

-- What nvprof and nsys stats print, kernels and copies. Medians are those of
-- all devices together, within 1/32 of themselves.
create view gpu_summary as
select k.run_id, 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (partition by k.run_id), 0)
	as "Time %",
	sum(total_ns) as "Total", sum(calls) as "Calls", 1.0 * sum(total_ns) / sum(calls) as "Avg",
	m.ns as "Med", min(min_ns) as "Min", max(max_ns) as "Max",
	m.stddev as "StdDev", k.name as "Name"
from kernel k left join median m on m.run_id = k.run_id and m.kind = 'kernel' and m.name = k.name
group by k.run_id, k.name;

-- The same for calls of runtimes; regions of the program itself contain them and would count twice.
create view call_summary as
select c.run_id, 100.0 * sum(total_ns) / nullif(sum(sum(total_ns)) over (partition by c.run_id), 0)
	as "Time %",
	sum(total_ns) as "Total", sum(calls) as "Calls", 1.0 * sum(total_ns) / sum(calls) as "Avg",
	m.ns as "Med", min(min_ns) as "Min", max(max_ns) as "Max",
	m.stddev as "StdDev", c.name as "Name"
from call c left join median m on m.run_id = c.run_id and m.kind = 'call' and m.name = c.name
where c.class <> 'user' and c.process_id not in (select id from process_of_other_attempt)
group by c.run_id, c.name;

-- Attempts of a launcher that starts ranks anew; processes of all but one are children of a rank.
create view attempt as
with taking_part as (
	select p.* from process p where p.attempt is not null and (p.rank is not null
		or (p.name glob 'rank * child *' or p.name glob 'rank * of *')
			and exists (select 1 from process o
			where o.run_id = p.run_id and o.rank is not null
				and o.attempt <> p.attempt))
)
select p.run_id, p.attempt, max(p.rank is not null) as is_run, min(p.start_ns) as start_ns,
	max(p.end_ns) as end_ns,
	coalesce(max((select c.calls from call c where c.process_id = p.id and c.name = 'step'
			and c.class = 'user')),
		max((select nullif(count(*), 0) from step s where s.process_id = p.id
			and p.rank is not null))) as steps,
	max(exists (select 1 from call c where c.process_id = p.id and c.name = 'torch:save'))
		as saved, min(p.saved_steps) as saved_steps
from taking_part p group by p.run_id, p.attempt;

-- Processes of other attempts than the one that the ranks are of: no figures are of them.
create view process_of_other_attempt as
select p.run_id, p.id from process p join (select run_id, max(attempt) as attempt from process
	where rank is not null group by run_id) r on r.run_id = p.run_id and r.attempt <> p.attempt;

-- The time that figures of a run are of: that of the attempt that its ranks are of, else all of it.
create view run_time as
select r.id as run_id, coalesce(a.start_ns, 0) as start_ns,
	coalesce(a.end_ns - a.start_ns, r.duration_ns) as ns, a.attempt
from run r left join attempt a on a.run_id = r.id and a.is_run
	and exists (select 1 from attempt o where o.run_id = r.id and not o.is_run);
