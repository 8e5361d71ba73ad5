-- The representative step: a block per state with its intervals (start, row, duration), then rows,
-- last arrivals of collectives, messages, and the critical path. Helper threads that only wait are
-- left out, beyond 16 ranks all through which the path does not go.
with state(ord, state, label) as (values (1, 'useful', 'useful'), (2, 'io', 'I/O'),
		(3, 'mpi', 'MPI'), (3.5, 'gloo', 'gloo'), (4, 'cuda', 'CUDA calls'),
	(5, 'wait', 'wait'), (6, 'omp_idle', 'OpenMP idle'), (7, 'compute', 'compute'),
	(8, 'nccl', 'NCCL'), (10, 'memcpy', 'copies')
), frame as (
	select step, start_ns as t0, end_ns - start_ns as ns
	from timeline_window where run_id = :run and why glob 'typical*'
), part as (
	select location_id, start_ns - t0 as start, end_ns - t0 as stop, state
	from timeline_step join frame using (step) where run_id = :run
), busy as (
	select location_id, count(*) as n,
		sum(case when state <> 'wait' then stop - start else 0 end) as ns from part
	group by location_id
), family as (	-- of every process the rank that it belongs to: children may have children
	select p.id, coalesce(p.rank, q.rank, o.rank) as rank from process p
		left join process q on q.id = p.parent_id
		left join process o on o.id = q.parent_id where p.run_id = :run
), entity as (
	select l.id, f.rank, case when l.kind = 'accelerator_stream' then 2 when l.is_main
			and p.rank is not null then 0 else 1 end as sort,
		l.kind, case when p.rank is not null or p.pid is null
				or l.kind = 'accelerator_stream' then l.name
			when l.is_main then 'child ' || p.pid
			else p.pid || ' ' || l.name end as name, b.n, b.ns
	from busy b join location l on l.id = b.location_id join process p on p.id = l.process_id
		join family f on f.id = p.id
), shown as (
	select * from entity where sort <> 1 or id in (select location_id
		from timeline_path join frame using (step) where run_id = :run)
		or (ns * 100 > (select ns from frame)
		and (select count(distinct rank) from entity) <= 16)
), rows(id, y, label) as (
	select id, row_number() over (order by rank, sort, id) - 1
		+ 0.4 * (dense_rank() over (order by rank) - 1)
			* ((select count(*) from shown) > (select count(distinct rank) from shown)),
		case when sort = 0 then 'rank ' || rank
			when name glob 'CUDA[[]*:*]' then 'GPU '
				|| substr(name, 6, instr(name, ':') - 6) || ' · '
				|| rtrim(substr(name, instr(name, ':') + 1), ']')
			-- a long name by its number alone: all of a program's begin alike
			when length(name) > 12 and name glob '* [0-9]*' then 'thread '
				|| trim(substr(name, length(rtrim(name, '0123456789')) + 1))
			when length(name) > 12 then substr(name, 1, 11) || '…' else name end
	from shown
), grain as (	-- ns below which intervals are joined
	select case when count(*) > 12000 then (select ns from frame) / 300 else 0 end as g
	from part
), short as (
	select location_id, min(start) as start, max(stop) as stop, state, sum(stop - start) as ns
	from part, grain
	where stop - start < g group by location_id, start / g, state
), fine as (
	select location_id, start, stop, state from part, grain where stop - start >= g
	union all
	select location_id, start, stop, state from short
), arrival as (
	select last_ns - t0 as t from collective, frame
	where run_id = :run and last_ns between t0 and t0 + ns and op <> 'create'
), line(block, ord, n, x, y, dx, dy, label) as (
	select s.label, s.ord, 0, f.start / 1e6, r.y, (f.stop - f.start) / 1e6,
		case s.ord when 3.5 then 21 else s.ord end, null
	from fine f join rows r on r.id = f.location_id join state s on s.state = f.state
	union all
	select 'rows', 21, y, row_number() over (order by y) - 1, y, (select ns from frame) / 1e6,
		(select max(y) from rows), label from rows
	union all
	select 'collectives', 22, 0, t / 1e6, -0.5, 0, (select max(y) from rows) + 1, null
	from arrival where (select count(*) from arrival) <= 120
	union all
	select 'messages', 23, 0, (m.start_ns - t0) / 1e6, a.y, (m.end_ns - m.start_ns) / 1e6,
		b.y - a.y, null
	from timeline_message m join rows a on a.id = m.location_id
		join rows b on b.id = m.to_location_id join frame using (step)
	where m.run_id = :run and (select count(*) from timeline_message
		join frame using (step) where run_id = :run) <= 400
	union all
	select 'path', 24, -2 * p.n + side,
		(case side when 0 then p.start_ns else p.end_ns end - t0) / 1e6, r.y, 0, 0, null
	from timeline_path p join rows r on r.id = p.location_id join frame using (step),
		(select 0 as side union all select 1) where p.run_id = :run
	union all
	select block, ord, 0, null, null, null, null, null
	from (select 'collectives' as block, 22 as ord union all
		select 'messages', 23 union all select 'path', 24)
)
select block as "Block|block", x as "Start (ms)|number", y as "Row|number",
	dx as "Duration (ms)|number", dy as "State|number",
	label as "Label"
from line where exists (select 1 from frame) order by ord, n, x;
