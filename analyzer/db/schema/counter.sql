-- counter.sql - counters of nodes, devices and processes, and rates.

-- Counters and gauges as they were read, thinned to at most one value per
-- second and series where there are more; the first and the last stay.
create table sample (
	run_id integer not null references run(id) on delete cascade,
	node_id integer not null references node(id) on delete cascade,
	process_id integer references process(id) on delete cascade,	-- NULL: of the whole node
	name text not null,			-- metric member: net.eth0.rx_bytes, gpu.0.power,
						-- proc.rchar…
	t_ns integer not null,
	value real not null
);
create index sample_series on sample(run_id, node_id, name, process_id, t_ns);

create table throughput_second (
	run_id integer not null references run(id) on delete cascade,
	node_id integer not null references node(id) on delete cascade,
	second integer not null,		-- since the start of the run; after 4.5 hours the
						-- first of several
	kind text not null,			-- storage_read storage_write network_sent
						-- network_received
	source text not null,			-- counter | call
	bytes integer not null,
	primary key (run_id, node_id, second, kind, source)
) without rowid;

-- Storage and network rates per node and window, 1 Gb/s = 10^9 bits per second.
create view throughput as
select m.run_id, m.window, substr(m.subject, 6) as node, m.model as source,
	max(case when name = 'storage_read' then value end) / 1e9 as storage_read_gbps,
	max(case when name = 'storage_read_peak' then value end) / 1e9 as storage_read_peak_gbps,
	max(case when name = 'storage_write' then value end) / 1e9 as storage_write_gbps,
	max(case when name = 'storage_write_peak' then value end) / 1e9 as storage_write_peak_gbps,
	max(case when name = 'network_sent' then value end) / 1e9 as network_sent_gbps,
	max(case when name = 'network_sent_peak' then value end) / 1e9 as network_sent_peak_gbps,
	max(case when name = 'network_received' then value end) / 1e9 as network_received_gbps,
	max(case when name = 'network_received_peak' then value end) / 1e9
		as network_received_peak_gbps
from metric m
where m.model in ('calls', 'counters') and m.subject like 'node:%'
group by m.run_id, m.window, m.subject, m.model;

-- Energy of each GPU (NVML's counter, mJ) between its first and last reading, and of an average
-- step: its power times what the steps took in that time, each from its first start to its last
-- end. kind: that of the node's devices (device.kind).
create view gpu_energy as
with reading as (
	select run_id, node_id, cast(substr(name, 5, length(name) - 11) as integer) as gpu,
		min(t_ns) as first_ns, max(t_ns) as last_ns,
		(max(value) - min(value)) / 1e3 as joules
	from sample where name glob 'gpu.[0-9]*.energy'
	group by run_id, node_id, name having max(t_ns) > min(t_ns)
), whole as (
	select run_id, n, min(start_ns) as start_ns, max(end_ns) as end_ns
	from step where cut = 0 group by run_id, n
)
select r.run_id, d.hostname as node, r.gpu, r.joules, (r.last_ns - r.first_ns) / 1e9 as seconds,
	r.joules / ((r.last_ns - r.first_ns) / 1e9) as watts,
	count(w.n) as steps,
	avg((w.end_ns - w.start_ns) / 1e9) * r.joules / ((r.last_ns - r.first_ns) / 1e9)
		as joules_per_step,
	coalesce((select min(v.kind) from device v where v.run_id = r.run_id
			and v.node_id = r.node_id), 'gpu') as kind
from reading r join node d on d.id = r.node_id
	left join whole w on w.run_id = r.run_id and w.end_ns > r.first_ns
		and w.start_ns < r.last_ns
group by r.run_id, r.node_id, r.gpu;
