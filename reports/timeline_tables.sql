-- What the canvas shows of nodes and of the steps that are there in full: temporary tables.
-- full_host: nodes by their place, with their ranks. full_step: the steps, the typical one first;
-- unit: in which times of slices fit into 31 bits. full_place: the rows of each; of threads those
-- that did something, those of ranks and streams first, as many as have room. full_word: names of
-- calls and files in each, by number; full_state: the states.
create temp table full_host as
select id, hostname, row_number() over (order by id) - 1 as i, coalesce(p.ranks, 0) as ranks
from node n left join (select node_id, count(*) as ranks from process
		where run_id = :run and rank is not null group by node_id) p on p.node_id = n.id
where run_id = :run;

create temp table full_step as
select step, phase, why, start_ns as t0, end_ns as t1, (end_ns - start_ns) / 2147483647 + 1 as unit,
	row_number() over (order by why not glob 'typical*', start_ns) as ord
from timeline_window where run_id = :run;

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
	and (main or streams or busy * 100 > s.t1 - s.t0 or id in (select location_id
		from timeline_path p where p.run_id = :run and p.step = t.step));
create unique index full_place_of on full_place(step, id);

create temp table full_word as
select step, name, row_number() over (partition by step order by name) - 1 as i
from (select step, name from timeline_step where run_id = :run and name is not null
	union select step, path from timeline_step where run_id = :run and path is not null);
create unique index full_word_of on full_word(step, name);

create temp table full_state as
select step, state, row_number() over (partition by step order by state) - 1 as i
from (select distinct step, state from timeline_step where run_id = :run);
