-- needs: timeline_full_tables
-- What the threads and streams did in each of the steps that are there in full, for view_step.js.
-- Step: a JSON text: rows (label, rank, node: place in `nodes`: name, ranks; 0 main thread,
-- 1 other, 2 stream), names, states, messages, collectives, the critical path, and accesses: number
-- of the slice, file, bytes, where in it. Slices: row, time since the slice before it in its row,
-- length, state, name (-1: none), how many; launches: row, start, row of the stream, start there.
-- Times are ns, of slices and launches in the step's unit.
select json_object('step', step, 'phase', phase, 'why', why, 'from', t0, 'to', t1,
	'unit', unit,
	'rows', (select json_group_array(json_array(label, rank, i, kind)) from (
		select label, rank, i, kind from full_place p
			left join full_host h on h.id = p.node_id
		where p.step = f.step order by y)),
	'nodes', (select json_group_array(json_array(hostname, ranks)) from (
		select hostname, ranks from full_host order by i)),
	'names', (select json_group_array(name) from (
		select name from full_word w where w.step = f.step order by i)),
	'states', (select json_group_array(state) from (
		select state from full_state k where k.step = f.step order by i)),
	'accesses', (select json_group_array(json_array(nth, file, bytes, file_offset)) from (
		select nth, file, bytes, file_offset from full_slice s
		where s.step = f.step and file is not null order by nth limit 20000)),
	'messages', (select json_group_array(json_array(a.y, b.y, m.start_ns - t0,
			m.end_ns - t0, m.bytes))
		from timeline_message m
			join full_place a on a.step = m.step and a.id = m.location_id
			join full_place b on b.step = m.step and b.id = m.to_location_id
		where m.run_id = :run and m.step = f.step),
	'collectives', (select json_group_array(json(line)) from full_group j
		where j.step = f.step),
	'path', (select json_group_array(json_array(y, at, until)) from (
		select p.y, c.start_ns - t0 as at, c.end_ns - t0 as until
		from timeline_path c join full_place p on p.step = c.step and p.id = c.location_id
		where c.run_id = :run and c.step = f.step order by c.n desc))) as "Step",
	(select planes(y, gap, stop - start, state, word, n) from (
		select * from full_slice s where s.step = f.step order by nth)) as "Slices",
	(select planes(a.y, (l.start_ns - t0) / unit, b.y, (l.end_ns - t0) / unit)
		from timeline_launch l
			join full_place a on a.step = l.step and a.id = l.location_id
			join full_place b on b.step = l.step and b.id = l.to_location_id
		where l.run_id = :run and l.step = f.step) as "Launches"
from full_step f order by ord;
