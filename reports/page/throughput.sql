-- Storage and network rates per node over the run and its phases. What the
-- kernel's counters saw stands above what the intercepted calls explain.
select t.node as "Node", case t."window" when 'run' then 'run' else substr(t."window", 7) end
	as "Window",
	case t.source when 'counters' then 'counters' else 'calls' end
		as "Source||counters: the kernel's, whole node; calls: I/O and messages",
	storage_read_gbps
		as "Storage read|number|Gb/s, mean over the window (1 Gb/s = 10⁹ bits per second)",
	storage_read_peak_gbps as "peak|number|Gb/s, highest second",
	storage_write_gbps as "Storage write|number|Gb/s, mean over the window",
	storage_write_peak_gbps as "peak |number|Gb/s, highest second",
	network_sent_gbps as "Network sent|number|Gb/s, mean over the window",
	network_sent_peak_gbps as "peak  |number|Gb/s, highest second",
	network_received_gbps as "Network received|number|Gb/s, mean over the window",
	network_received_peak_gbps as "peak   |number|Gb/s, highest second",
	coalesce((select max(m.flag) from metric m
				where m.run_id = :run and m."window" = t."window"
				and m.model = t.source
		and m.subject = 'node:' || t.node and m.value is null), 'there is no such figure')
			as "*|why"
from throughput t
where t.run_id = :run and coalesce(storage_read_gbps, storage_write_gbps, network_sent_gbps,
		network_received_gbps) is not null
order by t.node, t."window" <> 'run', t."window", t.source desc;
