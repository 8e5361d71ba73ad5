-- Network rate per node and second; the counters' where there are any, else the
-- intercepted calls'. Beyond 8 nodes their mean and the busiest one.
with recursive source as (
	select kind, max(source) as source from throughput_second	-- 'counter' > 'call'
	where run_id = :run and kind in ('network_sent', 'network_received') group by kind
), t as (
	select d.hostname as node, t.kind, t.second, t.bytes * 8e-9 as gbps
	from throughput_second t join source s on s.kind = t.kind and s.source = t.source
		join node d on d.id = t.node_id
	where t.run_id = :run
), nodes as (
	select count(*) as n from node where run_id = :run
), seconds(second) as (
	select 0 union all select second + 1 from seconds
	where second + 1 < (select duration_ns / 1e9 from run where id = :run)
), series as (
	select node || case kind when 'network_sent' then ' sent' else ' received' end as name,
		second, gbps from t, nodes where n <= 8
	union all
	select 'mean of ' || n || ' nodes' || case kind when 'network_sent' then ', sent'
			else ', received' end, second, sum(gbps) / n
	from t, nodes where n > 8 group by kind, second
	union all
	select 'busiest node' || case kind when 'network_sent' then ', sent' else ', received' end,
		second, max(gbps)
	from t, nodes where n > 8 group by kind, second
), whole as (	-- seconds without a row moved no data
	select name, second, gbps from series
	union all
	select n.name, s.second, 0 from (select distinct name from series) n cross join seconds s
), width as (
	select max(second) / 1000 + 1 as w from seconds
)
select name as "Series|block", second / w * w as "Second|count",
	sum(gbps) / min(w, (select max(second) from seconds) + 1 - second / w * w) as "Gb/s|number"
from whole, width where name in (select name from series group by name having max(gbps) > 0)
group by name, second / w order by name, second / w;
