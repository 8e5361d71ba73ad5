-- What was used over time, for the canvas and for tables: temporary tables. `resource`: a row per
-- series: what, unit, whose (a label of the canvas, or none), node. `resource_bin`: of each bin of
-- equal width what it was: of gauges the mean of its readings, of counters the growth per second,
-- spread evenly between two
-- readings, of flags the share of readings with one. A bin without a reading has no row.
create temp table resource_width as
select max(1000000000, duration_ns / 240 + 1) as ns, duration_ns as all_ns from run where id = :run;

-- what is shown of whom; divide: the unit as people read it. kind: gauge or counter
create temp table resource as
with wanted(ord, pattern, what, unit, divide, kind) as (values
	(1, 'gpu.*.util', 'utilisation', '%', 1.0, 'gauge'),
	(1.2, 'gpu.*.sm_active', 'SMs busy', '%', 100.0, 'gauge'),
	(1.4, 'gpu.*.tensor_active', 'tensor cores busy', '%', 100.0, 'gauge'),
	(1.6, 'gpu.*.dram_active', 'memory bandwidth', '%', 100.0, 'gauge'),
	(2, 'gpu.*.mem_used', 'memory', 'B', 1.0, 'gauge'),
	(3, 'gpu.*.sm_clock', 'SM clock', 'MHz', 1.0, 'gauge'),
	(4, 'gpu.*.power', 'power', 'W', 1e3, 'gauge'),
	(5, 'gpu.*.temp', 'temperature', '°C', 1.0, 'gauge'),
	(5.5, 'gpu.*.throttle', 'throttled', '%', 1.0, 'flags'),
	(5.6, 'gpu.*.pcie_rx', 'PCIe in', 'GB/s', 1e9, 'counter'),
	(5.6, 'gpu.*.pcie_tx', 'PCIe out', 'GB/s', 1e9, 'counter'),
	(5.6, 'gpu.*.pcie_rx_rate', 'PCIe in', 'GB/s', 1e9, 'gauge'),
	(5.6, 'gpu.*.pcie_tx_rate', 'PCIe out', 'GB/s', 1e9, 'gauge'),
	(5.7, 'gpu.*.nvlink_rx', 'NVLink in', 'GB/s', 1e9, 'counter'),
	(5.7, 'gpu.*.nvlink_tx', 'NVLink out', 'GB/s', 1e9, 'counter'),
	(5.7, 'gpu.*.nvlink_rx_rate', 'NVLink in', 'GB/s', 1e9, 'gauge'),
	(5.7, 'gpu.*.nvlink_tx_rate', 'NVLink out', 'GB/s', 1e9, 'gauge'),
	(6, 'proc.cpu', 'CPU', 'cores', 1e9, 'counter'),
	(7, 'proc.rss', 'memory (RSS)', 'B', 1.0, 'gauge'),
	(8, 'proc.minflt', 'page faults', '/s', 1.0, 'counter'),
	(9, 'proc.majflt', 'page faults from disk', '/s', 1.0, 'counter'),
	(9.5, 'proc.gpu.[0-9].held', 'held on GPU ', 'B', 1.0, 'gauge'),
	(9.5, 'proc.gpu.[0-9][0-9].held', 'held on GPU ', 'B', 1.0, 'gauge'),
	(10, 'cpu.idle', 'cores without work', 'cores', 1e9, 'counter'),
	(11, 'mem.available', 'memory available', 'B', 1.0, 'gauge')),
series as (
	select distinct node_id, process_id, name from sample where run_id = :run
)
select row_number() over (order by w.ord >= 10, p.rank is null, p.rank, s.node_id, w.ord >= 6,
		case when w.ord < 6 then cast(substr(s.name, 5) as integer) end,
		case when w.ord < 6 then rtrim(s.name, 'abcdefghijklmnopqrstuvwxyz_') end,
		w.ord, s.name) as id,
	s.node_id, s.process_id, s.name,
	w.what || case when w.ord = 9.5 then cast(substr(s.name, 10) as integer) else '' end
		as what, w.unit, w.divide, w.kind, p.rank, n.hostname,
	case when s.name glob 'gpu.*'
		then rtrim(rtrim(substr(s.name, 5), 'abcdefghijklmnopqrstuvwxyz_'), '.') end as gpu
from series s join wanted w on s.name glob w.pattern join node n on n.id = s.node_id
	left join process p on p.id = s.process_id
where s.process_id is null or p.rank is not null;

create temp table resource_bin as
with recursive reading as materialized (
	select r.id, r.kind, r.divide, s.t_ns as t, s.value as v,
		lag(s.t_ns) over w as t0, lag(s.value) over w as v0
	from resource r join sample s on s.run_id = :run and s.node_id = r.node_id
		and s.name = r.name and s.process_id is r.process_id
	where s.t_ns >= 0
	window w as (partition by r.id order by s.t_ns)
), grown as materialized (	-- a counter that falls began anew
	select id, t0, t, (v - v0) / divide as growth, t0 / width.ns as first,
		(t - 1) / width.ns as last
	from reading cross join resource_width width where kind = 'counter' and t > t0 and v >= v0
), piece(id, t0, t, growth, bin, last) as (
	select id, t0, t, growth, first, last from grown
	union all
	select id, t0, t, growth, bin + 1, last from piece where bin < last
), spread as (
	select id, bin, min(t, (bin + 1) * w.ns) - max(t0, bin * w.ns) as ns, growth,
		t - t0 as whole
	from piece cross join resource_width w
)
select id, t / w.ns as bin, avg(v / divide) as value from reading cross join resource_width w
where kind = 'gauge' group by 1, 2
union all	-- reasons other than no work and clocks that were asked for
select id, t / w.ns, 100 * avg((cast(v as integer) & ~3) <> 0)
from reading cross join resource_width w
where kind = 'flags' group by 1, 2
union all
select id, bin, sum(growth * ns / whole) / sum(ns) * 1e9 from spread group by 1, 2;
create index resource_of_bin on resource_bin(id, bin);
