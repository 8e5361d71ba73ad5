-- rate_of_nodes: network and storage rates per node and second; the counters' where there are any,
-- else the intercepted calls'. Beyond 8 nodes their mean and the busiest one.
create temp table rate_of_nodes as
with recursive direction(kind, what, name) as (
	values ('network_sent', 'network', 'sent'), ('network_received', 'network', 'received'),
		('storage_read', 'storage', 'read'), ('storage_write', 'storage', 'write')
), source as (
	select kind, max(source) as source from throughput_second	-- 'counter' > 'call'
	where run_id = :run group by kind
), t as (
	select d.hostname as node, i.what, i.name as direction, t.second, t.bytes * 8e-9 as gbps
	from throughput_second t join source s on s.kind = t.kind and s.source = t.source
		join direction i on i.kind = t.kind join node d on d.id = t.node_id
	where t.run_id = :run
), nodes as (
	select count(*) as n from node where run_id = :run
), extent as (	-- however long the run is, it is shown in about 1000 bins
	select last, last / 1000 + 1 as w
	from (select max(0, (duration_ns + 999999999) / 1000000000 - 1) as last
		from run where id = :run)
), bins(bin) as (
	select 0 union all select bin + 1 from bins, extent where (bin + 1) * w <= last
), series as (
	select what, node || ' ' || direction as name, second, gbps from t, nodes where n <= 8
	union all
	select what, 'mean of ' || n || ' nodes, ' || direction, second, sum(gbps) / n
	from t, nodes where n > 8 group by what, direction, second
	union all
	select what, 'busiest node, ' || direction, second, max(gbps)
	from t, nodes where n > 8 group by what, direction, second
), shown as (
	select what, name from series group by what, name having max(gbps) > 0
), binned as (
	select what, name, second / w as bin, sum(gbps) as sum from series, extent
	group by what, name, second / w
)
-- seconds without a row moved no data; of several seconds that share one, the bin is wider
select n.what, n.name, b.bin * w as second,
	coalesce(x.sum, 0) / min(w, last + 1 - b.bin * w) as gbps
from shown n cross join bins b cross join extent
	left join binned x on x.what = n.what and x.name = n.name and x.bin = b.bin;
