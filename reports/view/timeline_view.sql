-- needs: path_tables
-- What view.js shows of a run, as one JSON text. rows: ranks and GPUs, with their node and the
-- shares of each state in bins, in per mille; more: rows left out, coarser; phases and steps over
-- all ranks, of a training in PyTorch with the shares of its `parts`, in per mille; full: which
-- steps timeline_full.sql has in full. Times are ns.
with entity as (
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
), counted as (
	select e.*, row_number() over (order by rank is null, rank, ordinal) - 1 as nth,
		coalesce(rank, -1 - device_id) as who, count(*) over () as many from entity e
), ranks as (	-- so many have room; half of it is for those to look at first
	select who, max(1, 128 * (select count(distinct who) from counted) / max(many)) as room,
		(select place from rank_notable where run_id = :run and rank = who) as place
	from counted group by who
), others as (
	select who, row_number() over (order by who) - 1 as nth, count(*) over () as n,
		room - (select count(*) from ranks where place <= room / 2) as room
	from ranks where place is null or place > room / 2
), rows as (	-- beyond 128 those, and of the others some, evenly spread
	select * from counted where many <= 128
		or who in (select who from ranks where place <= room / 2)
		or who in (select who from others where nth = 0
			or nth * room / n <> (nth - 1) * room / n)
), states as (
	select t.location_id, t.device_id, max(t.bin_ns) as bin,
		json_group_object(t.state, json(t.shares)) as shares
	from timeline t where t.run_id = :run group by t.location_id, t.device_id
), left_out as (	-- in bins of 16: small, to be shown when they are asked for
	select e.nth, e.label, e.rank, e.node_id, e.device_id, e.location_id from counted e
	where e.rank is not null and e.many <= 4096 and e.nth not in (select nth from rows)
), coarse as (
	select nth, state, bin_ns, json_group_array(share) as shares from (
		select o.nth, t.state, t.bin_ns, v.key / 16 as bin, sum(v.value) / 16 as share
		from left_out o join timeline t on t.run_id = :run
				and t.location_id is o.location_id
				and t.device_id is o.device_id
			join json_each(t.shares) v
		group by o.nth, t.state, v.key / 16 order by o.nth, t.state, bin)
	group by nth, state
), more_of as (
	select o.nth, json_object('label', o.label, 'rank', o.rank, 'node', h.i,
		'device', o.device_id is not null, 'bin', 16 * max(c.bin_ns),
		'shares', json_group_object(c.state, json(c.shares))) as row
	from left_out o join coarse c on c.nth = o.nth
		left join full_host h on h.id = o.node_id
	group by o.nth
), row_of as (
	select r.nth, json_object('label', r.label, 'rank', r.rank, 'node', h.i,
		'device', r.device_id is not null, 'bin', s.bin, 'shares', json(s.shares)) as row
	from rows r join states s on s.location_id is r.location_id and s.device_id is r.device_id
		left join full_host h on h.id = r.node_id
), phase_of as (
	select json_array(name, min(start_ns), max(end_ns)) as phase, min(start_ns) as first
	from phase where run_id = :run group by name, instance order by first limit 200
), step_of as (
	select n, json_array(n, min(start_ns), max(end_ns)) as step, case
		when count(other_ns) = count(*) then json_array(
			sum(loading_ns) * 1000 / sum(end_ns - start_ns),
			sum(forward_ns) * 1000 / sum(end_ns - start_ns),
			sum(backward_ns) * 1000 / sum(end_ns - start_ns),
			sum(communication_ns) * 1000 / sum(end_ns - start_ns),
			sum(optimizer_ns) * 1000 / sum(end_ns - start_ns),
			sum(checkpoint_ns) * 1000 / sum(end_ns - start_ns),
			sum(other_ns) * 1000 / sum(end_ns - start_ns)) end as parts
	from step where run_id = :run
		and (select count(*) from step where run_id = :run) <= 200000
	group by n order by n limit 5000
)
select json_object('ns', (select duration_ns from run where id = :run),
	'many', (select max(many) from rows),
	'nodes', (select json_group_array(json_array(hostname, ranks)) from (
		select hostname, ranks from full_host order by i)),
	'rows', (select json_group_array(json(row)) from (select row from row_of order by nth)),
	'more', (select json_group_array(json(row)) from (select row from more_of order by nth)),
	'phases', (select json_group_array(json(phase)) from phase_of),
	'steps', (select json_group_array(case when parts is null then json(step)
		else json_insert(step, '$[#]', json(parts)) end) from step_of),
	'parts', json_array('loading', 'forward', 'backward', 'communication', 'optimizer',
		'checkpoint', 'other'),
	'path', (select json_group_array(json_array(label, from_ns, to_ns)) from (
		select * from path_over order by from_ns)),
	'full', (select json_group_array(json_object('step', step, 'phase', phase, 'why', why,
		'from', t0, 'to', t1)) from (select * from full_step order by ord))) as "Data"
where exists (select 1 from rows);
