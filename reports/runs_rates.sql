-- Storage and network rates in the manner of cluster benchmarks: a row per configuration, in each
-- cell the values for each number of nodes. The kernel's counters where there are any, else what
-- the intercepted calls explain.
with rate as (
	select m.run_id, m.name, m.model, sum(m.value) / 1e9 as gbps from metric m
	where m."window" = 'run' and m.subject like 'node:%' and m.model in ('counters', 'calls')
	group by m.run_id, m.name, m.model
), best as (
	select s.configuration, s.nnodes, s.units, s.run_id, r.name,
		coalesce(max(case r.model when 'counters' then gbps end), max(gbps)) as gbps
	from study s left join rate r on r.run_id = s.run_id group by s.run_id, r.name
), cell as (
	select run_id, configuration, nnodes, units,
		max(case name when 'storage_read' then gbps end) as read,
		max(case name when 'storage_write' then gbps end) as written,
		max(case name when 'network_sent' then gbps end) as sent,
		max(case name when 'network_received' then gbps end) as received
	from best group by run_id
), text as (
	select *, coalesce(case when read < 10 then round(read, 2) else round(read, 1) end,
			'–') as r,
		coalesce(case when written < 10 then round(written, 2) else round(written, 1) end,
				'–') as w,
		coalesce(case when sent < 10 then round(sent, 2) else round(sent, 1) end, '–') as s,
		coalesce(case when received < 10 then round(received, 2)
					else round(received, 1) end, '–') as e
	from cell order by configuration, nnodes, units, run_id
)
select configuration as "Configuration", group_concat(nnodes, ' / ') as "Nodes",
	group_concat(units, ' / ') as "Ranks or GPUs",
	group_concat(r, ' / ') as "Storage read, Gb/s||all nodes together, mean over the run",
	group_concat(w, ' / ') as "Storage write, Gb/s",
	group_concat(s, ' / ')
		as "Network sent, Gb/s||all nodes together, without what stays in a node",
	group_concat(e, ' / ') as "Network received, Gb/s"
from text group by configuration order by min(run_id);
