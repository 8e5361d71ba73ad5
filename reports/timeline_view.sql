-- needs: path_tables
-- What view.js shows of a run, as one JSON text. rows: ranks and GPUs, with their node and the
-- shares of each state in bins, in per mille; phases and steps over all ranks, of a training in
-- PyTorch with the shares of its `parts`, in per mille; full: which steps timeline_full.sql has in
-- full. Times are ns.
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
