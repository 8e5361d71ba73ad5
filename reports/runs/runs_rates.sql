-- Storage and network rates in the manner of cluster benchmarks: a row per configuration, in each
-- cell the values for each number of nodes. The kernel's counters where there are any, else what
-- the intercepted calls explain; so it is where nodes share their disks, whose counters are a
-- sum: their reads have a flag.
with rate as (
	select m.run_id, m.name, m.model, sum(m.value) as bps,
		m.name glob 'storage_*' and exists (select 1 from metric f
			where f.run_id = m.run_id and f."window" = 'run' and f.model = 'counters'
				and f.name = 'storage_read' and f.subject glob 'node:*'
				and f.value is not null and f.flag is not null) as shared
	from metric m
	where m."window" = 'run' and m.subject like 'node:%' and m.model in ('counters', 'calls')
		and m.name in ('storage_read', 'storage_write', 'network_sent', 'network_received')
	group by m.run_id, m.name, m.model
), known as (
	select s.configuration, s.run_id, r.name, r.model, r.bps,
		max(r.shared) over (partition by s.configuration, r.name) as shared
	from study s join rate r on r.run_id = s.run_id where s.counts
), best as (
	select configuration, run_id, name,
		coalesce(max(case when model = 'counters' and not shared then bps end),
			max(case when model = 'calls' then bps end)) as bps
	from known group by configuration, run_id, name
), column(name) as (
	values ('storage_read'), ('storage_write'), ('network_sent'), ('network_received')
), cell as (
	select s.configuration, s.nnodes, s.units, s.run_id, c.name, b.bps,
		case when max(b.bps) over (partition by s.configuration, c.name) >= 1e8
			then 'Gb/s' else 'Mb/s' end as unit
	from study s cross join column c
		left join best b on b.run_id = s.run_id and b.name = c.name where s.counts
), text as (
	select *, bps / case unit when 'Gb/s' then 1e9 else 1e6 end as n from cell
	order by configuration, nnodes, units, run_id
), line as (
	select configuration, name, min(run_id) as run_id, group_concat(nnodes, ' / ') as nodes,
		group_concat(units, ' / ') as sizes,
		group_concat(case when n is null then '–' when n = 0 then '0'
			when n < 0.001 then '<0.001' when n < 1000 then printf('%.3g', n)
			else printf('%.0f', n) end, ' / ')
			|| case when max(n) is null then '' else ' ' || unit end as said
	from text group by configuration, name
)
select configuration as "Configuration", nodes as "Nodes", sizes as "Ranks or GPUs",
	max(case name when 'storage_read' then said end) 
	as "Storage read|text|all nodes together; by the ranks' calls where they are one machine",
	max(case name when 'storage_write' then said end) as "Storage write",
	max(case name when 'network_sent' then said end)
		as "Network sent|text|all nodes together, without what stays in a node",
	max(case name when 'network_received' then said end) as "Network received"
from line group by configuration order by min(run_id);
