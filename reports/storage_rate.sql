-- Storage rate per node and second; the counters' where there are any, else the
-- intercepted calls'. Beyond 8 nodes their mean and the busiest one.
with recursive source as (
	select kind, max(source) as source from throughput_second	-- 'counter' > 'call'
	where run_id = :run and kind in ('storage_read', 'storage_write') group by kind
), t as (
	select d.hostname as node, t.kind, t.second, t.bytes * 8e-9 as gbps
	from throughput_second t join source s on s.kind = t.kind and s.source = t.source
		join node d on d.id = t.node_id
	where t.run_id = :run
), nodes as (
	select count(*) as n from node where run_id = :run
), extent as (	-- however long the run is, it is told in about 1000 bins
	select last, last / 1000 + 1 as w
	from (select max(0, (duration_ns + 999999999) / 1000000000 - 1) as last
		from run where id = :run)
), bins(bin) as (
	select 0 union all select bin + 1 from bins, extent where (bin + 1) * w <= last
), series as (
	select node || case kind when 'storage_read' then ' read' else ' write' end as name, second,
		gbps from t, nodes where n <= 8
	union all
	select 'mean of ' || n || ' nodes' || case kind when 'storage_read' then ', read'
			else ', write' end, second, sum(gbps) / n
	from t, nodes where n > 8 group by kind, second
	union all
	select 'busiest node' || case kind when 'storage_read' then ', read' else ', write' end,
		second, max(gbps)
	from t, nodes where n > 8 group by kind, second
), shown as (
	select name from series group by name having max(gbps) > 0
), binned as (
	select name, second / w as bin, sum(gbps) as sum from series, extent group by name, second / w
)
-- seconds without a row moved no data; of several seconds that share one, the bin is wider
select n.name as "Series|block", b.bin * w as "Second|count",
	coalesce(x.sum, 0) / min(w, last + 1 - b.bin * w) as "Gb/s|number"
from shown n cross join bins b cross join extent
	left join binned x on x.name = n.name and x.bin = b.bin
order by n.name, b.bin;
