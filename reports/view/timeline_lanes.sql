-- needs: resource_tables
-- What lanes.js shows of resources below the ranks that used them, as one JSON text: series with a
-- value per bin, null where nothing was read. Of many ranks and nodes the first. Rates of storage
-- and network are those of the nodes.
with cores as (
	select n.id as node_id, cast(e.value as real) as cores, (select count(*) from process p
		where p.run_id = :run and p.node_id = n.id and p.rank is not null) as ranks
	from node n join environment e on e.run_id = :run and e.key = 'cores'
		and e.scope = 'node:' || n.hostname where n.run_id = :run
), lane as (	-- most: what the full height is, at least: a rank's share of the cores of its node
	select r.id, 'rank ' || r.rank as row, r.what, r.unit, r.kind, r.rank < 64 as some,
		case r.unit when 'cores' then max(1, c.cores / c.ranks) end as most
	from resource r left join cores c on c.node_id = r.node_id where r.rank is not null
	union all
	select r.id, null, case when (select count(*) from node where run_id = :run) > 1
			then hostname || ' ' else '' end
		|| coalesce('GPU ' || gpu || ' · ', '') || what,
		unit, r.kind, dense_rank() over (order by r.node_id) <= 8,
		case r.unit when 'cores' then c.cores end
	from resource r left join cores c on c.node_id = r.node_id where rank is null
), listed as (
	select l.*, json_group_array(case when b.value is null then null
		when abs(b.value) >= 1000 then round(b.value) else round(b.value, 2) end)
		over (partition by l.id order by k.bin) as value, k.bin,
		max(k.bin) over (partition by l.id) as last_bin
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
			'gauge', json(iif(kind = 'gauge', 'true', 'false')), 'most', most,
			'values', json(value)) as lane
		from listed where bin = last_bin order by id)),
	'rates', (select json_group_array(json_array(node_id, hostname, kind, bin, round(value)))
		from (select * from rate where (select count(*) from node where run_id = :run) <= 8
			order by node_id, kind, bin))) as "Lanes"
where exists (select 1 from resource_bin) or exists (select 1 from rate);
