-- What view.js shows of a run, as one JSON text. rows: ranks and GPUs, with their node and the
-- shares of each state in bins, in per mille; phases and steps over all ranks; step: what the
-- threads and streams did in one step, interval by interval, with messages, launches, collectives
-- and the critical path; its rows are label, rank, node (place in `nodes`: name, ranks) and 0 main
-- thread, 1 other, 2 stream. Times are ns.
with host as (
	select id, hostname, row_number() over (order by id) - 1 as i,
		(select count(*) from process p where p.run_id = :run and p.node_id = n.id
			and p.rank is not null) as ranks
	from node n where run_id = :run
), entity as (
	select l.id as location_id, null as device_id, p.rank, -1 as ordinal, p.node_id,
		'rank ' || p.rank as label
	from location l join process p on p.id = l.process_id
	where l.run_id = :run and p.rank is not null and l.is_main
		and l.id in (select location_id from timeline where run_id = :run)
	union all
	select null, d.id, o.rank, coalesce(o.ordinal, 0), d.node_id,
		case d.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
		|| coalesce(o.rank || ':', '') || coalesce(o.ordinal, 0)
	from device d left join device_owner o on o.device_id = d.id
	where d.run_id = :run and d.id in (select device_id from timeline where run_id = :run)
), rows as (	-- beyond 128 some, evenly spread
	select * from (
		select e.*, row_number() over (order by rank is null, rank, ordinal) - 1 as nth,
			count(*) over () as many from entity e)
	where many <= 128 or nth * 128 / many <> (nth - 1) * 128 / many or nth = 0
), states as (
	select t.location_id, t.device_id, max(t.bin_ns) as bin,
		json_group_object(t.state, json(t.shares)) as shares
	from timeline t where t.run_id = :run group by t.location_id, t.device_id
), row_of as (
	select r.nth, json_object('label', r.label, 'rank', r.rank, 'node', h.i,
		'device', r.device_id is not null, 'bin', s.bin, 'shares', json(s.shares)) as row
	from rows r join states s on s.location_id is r.location_id and s.device_id is r.device_id
		left join host h on h.id = r.node_id
), phase_of as (
	select json_array(name, min(start_ns), max(end_ns)) as phase, min(start_ns) as first
	from phase where run_id = :run group by name, instance order by first limit 200
), step_of as (
	select json_array(n, min(start_ns), max(end_ns)) as step, n from step where run_id = :run
		and (select count(*) from step where run_id = :run) <= 200000
	group by n order by n limit 5000
), frame as (
	select step, phase, start_ns as t0, end_ns as t1 from timeline_window where run_id = :run
), family as (	-- of every process the rank that it belongs to: children may have children
	select p.id, coalesce(p.rank, q.rank, o.rank) as rank, p.node_id from process p
		left join process q on q.id = p.parent_id
		left join process o on o.id = q.parent_id where p.run_id = :run
), thread as (
	select l.id, f.rank, f.node_id, l.kind = 'accelerator_stream' as streams,
		l.is_main and p.rank is not null as main,
		case when l.is_main and p.rank is not null then 'rank ' || p.rank
			when l.is_main then 'child ' || coalesce(p.pid, '')
			when l.kind = 'accelerator_stream' and l.name glob 'CUDA[[]*:*]'
			then 'GPU ' || substr(l.name, 6, instr(l.name, ':') - 6) || ' · stream '
				|| substr(l.name, instr(l.name, ':') + 1,
					length(l.name) - instr(l.name, ':') - 1)
			else l.name end as label,
		(select count(*) from timeline_step s
			where s.run_id = :run and s.location_id = l.id) as n,
		(select sum(case when s.state = 'wait' then 0 else s.end_ns - s.start_ns end)
			from timeline_step s where s.run_id = :run and s.location_id = l.id) as busy
	from location l join process p on p.id = l.process_id join family f on f.id = p.id
	where l.run_id = :run
), place as (	-- those of ranks and streams first, until there are 120,000 intervals
	select id, label, rank, node_id,
		case when main then 0 when streams then 2 else 1 end as kind,
		row_number() over (order by rank is null, rank, main desc, streams, id) - 1 as y
	from (select t.*, sum(n) over (order by not (main or streams), rank, id) as total
		from thread t
		where n > 0 and (main or streams or busy * 100 > (select t1 - t0 from frame)
			or id in (select location_id from timeline_path where run_id = :run)))
	where total <= 120000
), word as (
	select name, row_number() over (order by name) - 1 as i
	from (select distinct name from timeline_step where run_id = :run and name is not null)
), kind as (
	select state, row_number() over (order by state) - 1 as i
	from (select distinct state from timeline_step where run_id = :run)
), member as (	-- row, start, ns of who took part
	select t.kind, t.comm_id, t.seq, json_group_array(json_array(p.y, t.start_ns - t0,
		t.end_ns - t.start_ns)) as members,
		max(case when r.rank = c.last_rank then p.y end) as last, c.op, c.bytes
	from timeline_collective t join place p on p.id = t.location_id
		join collective c using (run_id, kind, comm_id, seq)
		join location l on l.id = t.location_id join process r on r.id = l.process_id, frame
	where t.run_id = :run
	group by t.kind, t.comm_id, t.seq having count(*) > 1
), joined as (
	select json_object('op', m.op, 'comm', o.name, 'bytes', m.bytes, 'size', o.size,
		'last', m.last, 'members', json(m.members)) as line
	from member m left join communicator o on o.run_id = :run and o.kind = m.kind
		and o.id = m.comm_id
), detail as (
	select json_object('step', step, 'phase', phase, 'from', t0, 'to', t1,
		'rows', (select json_group_array(json_array(label, rank, i, kind)) from (
			select label, rank, i, kind from place p
				left join host h on h.id = p.node_id order by y)),
		'nodes', (select json_group_array(json_array(hostname, ranks)) from (
			select hostname, ranks from host order by i)),
		'names', (select json_group_array(name) from (select name from word order by i)),
		'states', (select json_group_array(state) from (select state from kind order by i)),
		'intervals', (select json_group_array(json_array(y, at, ns, state, word, n)) from (
			select p.y, s.start_ns - t0 as at, s.end_ns - s.start_ns as ns,
				k.i as state, coalesce(w.i, -1) as word, s.intervals as n
			from timeline_step s join place p on p.id = s.location_id
				join kind k on k.state = s.state left join word w on w.name = s.name
			where s.run_id = :run order by p.y, s.start_ns)),
		'messages', (select json_group_array(json_array(a.y, b.y, m.start_ns - t0,
				m.end_ns - t0, m.bytes))
			from timeline_message m join place a on a.id = m.location_id
				join place b on b.id = m.to_location_id
			where m.run_id = :run),
		'launches', (select json_group_array(json_array(a.y, l.start_ns - t0, b.y,
				l.end_ns - t0))
			from timeline_launch l join place a on a.id = l.location_id
				join place b on b.id = l.to_location_id
			where l.run_id = :run),
		'collectives', (select json_group_array(json(line)) from joined),
		'path', (select json_group_array(json_array(y, at, until)) from (
			select p.y, c.start_ns - t0 as at, c.end_ns - t0 as until
			from timeline_path c join place p on p.id = c.location_id
			where c.run_id = :run order by c.n desc))) as step
	from frame
)
select json_object('ns', (select duration_ns from run where id = :run),
	'many', (select max(many) from rows),
	'nodes', (select json_group_array(json_array(hostname, ranks)) from (
		select hostname, ranks from host order by i)),
	'rows', (select json_group_array(json(row)) from (select row from row_of order by nth)),
	'phases', (select json_group_array(json(phase)) from phase_of),
	'steps', (select json_group_array(json(step)) from step_of),
	'step', (select json(step) from detail)) as "Data"
where exists (select 1 from rows);
