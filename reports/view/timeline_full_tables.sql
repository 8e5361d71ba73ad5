-- needs: timeline_tables
-- What is in the steps that are there in full: temporary tables. full_place: the rows of each; of
-- threads those that did something, those of ranks and streams first, as many as have room.
-- full_word: names of calls and files in each, by number; full_state: the states; full_slice: what
-- fills the rows; full_group: collectives with their members.
create temp table full_place as
with family as (	-- of every process the rank that it belongs to: children may have children
	select p.id, coalesce(p.rank, q.rank, o.rank) as rank, p.node_id from process p
		left join process q on q.id = p.parent_id
		left join process o on o.id = q.parent_id where p.run_id = :run
), used as (
	select step, location_id, count(*) as n,
		sum(case when state <> 'wait' then end_ns - start_ns else 0 end) as busy
	from timeline_step where run_id = :run group by step, location_id
), thread as (
	select u.step, u.n, u.busy, l.id, f.rank, f.node_id,
		l.kind = 'accelerator_stream' as streams,
		l.is_main and p.rank is not null as main,
		case when l.is_main and p.rank is not null then 'rank ' || p.rank
			when l.is_main then 'child ' || coalesce(p.pid, '')
			when l.kind = 'accelerator_stream' and l.name glob 'CUDA[[]*:*]'
			then 'GPU ' || substr(l.name, 6, instr(l.name, ':') - 6) || ' · stream '
				|| substr(l.name, instr(l.name, ':') + 1,
					length(l.name) - instr(l.name, ':') - 1)
			else l.name end as label
	from used u join location l on l.id = u.location_id
		join process p on p.id = l.process_id join family f on f.id = l.process_id
	where l.run_id = :run
)
select t.step, id, label, rank, node_id,
	case when main then 0 when streams then 2 else 1 end as kind,
	row_number() over (partition by t.step
		order by rank is null, rank, main desc, streams desc, id) - 1 as y
from (select t.*, sum(n) over (partition by step order by not (main or streams), rank, id) as total
	from thread t) t join full_step s on s.step = t.step
where total <= case s.ord when 1 then 120000 else 40000 end
	and (main or streams or busy * 100 > s.t1 - s.t0 or (t.step, id) in (
		select step, location_id from timeline_path where run_id = :run));
create unique index full_place_of on full_place(step, id);

create temp table full_word as
select step, name, row_number() over (partition by step order by name) - 1 as i
from (select step, name from timeline_step where run_id = :run and name is not null
	union select step, path from timeline_step where run_id = :run and path is not null);
create unique index full_word_of on full_word(step, name);

create temp table full_state as
select step, state, row_number() over (partition by step order by state) - 1 as i
from (select distinct step, state from timeline_step where run_id = :run);
create unique index full_state_of on full_state(step, state);

-- Slices in the order of their rows, each with the time since the one before it in its row.
create temp table full_slice as
with slice as (
	select s.step, p.y, (s.start_ns - f.t0) / f.unit as start,
		(s.end_ns - f.t0) / f.unit as stop,
		k.i as state, coalesce(w.i, -1) as word, s.intervals as n, d.i as file,
		s.bytes, s.file_offset
	from full_step f cross join timeline_step s on s.run_id = :run and s.step = f.step
		cross join full_place p on p.step = s.step and p.id = s.location_id
		cross join full_state k on k.step = s.step and k.state = s.state
		left join full_word w on w.step = s.step and w.name = s.name
		left join full_word d on d.step = s.step and d.name = s.path
)
select s.*, start - coalesce(lag(stop) over (partition by step, y order by start), 0) as gap,
	row_number() over (partition by step order by y, start) - 1 as nth
from slice s;
create unique index full_slice_of on full_slice(step, nth);

create temp table full_group as
with member as (	-- row, start, ns of who took part
	select t.step, t.kind, t.comm_id, t.seq, json_group_array(json_array(p.y, t.start_ns - f.t0,
		t.end_ns - t.start_ns)) as members,
		max(case when r.rank = c.last_rank then p.y end) as last, c.op, c.bytes
	from full_step f join timeline_collective t on t.run_id = :run and t.step = f.step
		join full_place p on p.step = t.step and p.id = t.location_id
		join collective c using (run_id, kind, comm_id, seq)
		join location l on l.id = t.location_id join process r on r.id = l.process_id
	group by t.step, t.kind, t.comm_id, t.seq having count(*) > 1
)
select m.step, json_object('op', m.op, 'comm', o.name, 'bytes', m.bytes, 'size', o.size,
	'last', m.last, 'members', json(m.members)) as line
from member m left join communicator o on o.run_id = :run and o.kind = m.kind
	and o.id = m.comm_id;
create index full_group_of on full_group(step);
