-- needs: resource_tables
-- What lanes.js shows of resources below the ranks that used them, as one JSON text: series with a
-- value per bin, null where nothing was read. Of many ranks and nodes the first. Rates of storage
-- and network are those of the nodes.
with lane as (
	select id, 'rank ' || rank as row, what, unit, rank < 64 as some
	from resource where rank is not null
	union all
	select id, null, case when (select count(*) from node where run_id = :run) > 1
			then hostname || ' ' else '' end
		|| coalesce('GPU ' || gpu || ' · ', '') || what,
		unit, dense_rank() over (order by node_id) <= 8 from resource where rank is null
), listed as (
	select l.*, json_group_array(case when b.value is null then null
		when abs(b.value) >= 1000 then round(b.value) else round(b.value, 2) end)
		over (partition by l.id order by k.bin) as value, k.bin,
		max(k.bin) over (partition by l.id) as most
	from lane l cross join (select distinct bin from resource_bin) k
		left join resource_bin b on b.id = l.id and b.bin = k.bin
	where l.some
), rate as (
	select t.node_id, n.hostname, t.kind, t.source, t.second * 1000000000 / w.ns as bin,
		sum(t.bytes) * 1e9
		/ (min(w.all_ns, (t.second * 1000000000 / w.ns + 1) * w.ns)
			- t.second * 1000000000 / w.ns * w.ns) as value
	from throughput_second t join node n on n.id = t.node_id cross join resource_width w
	where t.run_id = :run and t.second * 1000000000 < w.all_ns
		and t.source = (select max(source) from throughput_second m
			where m.run_id = :run and m.kind = t.kind)
	group by 1, 2, 3, 4, 5
)
select json_object('bin', (select ns from resource_width),
	'ns', (select all_ns from resource_width),
	'lanes', (select json_group_array(json(lane)) from (
		select json_object('row', row, 'what', what, 'unit', unit,
			'values', json(value)) as lane
		from listed where bin = most order by id)),
	'rates', (select json_group_array(json_array(node_id, hostname, kind, bin, round(value)))
		from (select * from rate where (select count(*) from node where run_id = :run) <= 8
			order by node_id, kind, bin))) as "Lanes"
where exists (select 1 from resource_bin) or exists (select 1 from rate);
