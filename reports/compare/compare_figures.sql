-- Figures of both runs side by side, those that at least one has. better: which way is better,
-- '' = neither. depth: of a factor, below its product. change: share of the base value; NULL where
-- a bounded run has the figure of the time that is in detail alone: the other run's is of other
-- steps.
with stepped as (
	select p.side, unit, s.i,
		s.ns / case unit when 'sample' then nullif(s.samples, 0) else 1 end as ns
	from pair p cross join unit join side_step s using (side) join side_size z using (side)
	where unit <> 'run' and s.i >= z.warm
), ranked as (
	select side, unit, ns, row_number() over (partition by side order by ns) as nth,
		count(*) over (partition by side) as n from stepped
), factor as (	-- the hierarchy of the devices where there are any, else that of the hosts
	select f.ord, f.depth, f.model, f.name, lower(substr(f.label, 1, 1))
		|| substr(f.label, 2) as label from figure f
	where f.model = case when exists (select 1 from metric
				where model = 'device' and name = 'device_parallel_efficiency'
				and value is not null
			and run_id in (select run_id from pair))
		then 'device' else 'mpi' end
), efficiency as (
	select p.side, f.ord, m."window",
		case m."window" when 'run' then '' else ', ' || substr(m."window", 7) end as place,
		f.depth,
		case f.depth when 0 then case f.model when 'mpi' then (select group_concat(name,
			' and ')
			from (select distinct name from communication where run_id in (select
				run_id from pair)))
			else 'GPU' end
				|| ' parallel efficiency' else f.label end as label, f.model,
		f.name,
		case when p.run_id not in (select run_id from unseen)
				or f.model <> 'mpi' then m.value end as value
	from pair p join share h using (side) join metric m on m.run_id = p.run_id
		join factor f on f.model = m.model and f.name = m.name
	where m.subject = '' and m."window" in ('run', h."window")
		and (f.depth = 0 or m."window" = h."window")
), device as (
	select h.side, count(distinct d.device_id) as devices, sum(d.ns) * 1.0 as total,
		sum(d.ns) filter (where d.state = 'compute') as compute,
		sum(d.ns) filter (where d.state in ('nccl', 'nccl_wait', 'nccl_transfer')) as nccl,
		sum(d.ns) filter (where d.state = 'memcpy') as copies,
		sum(d.ns) filter (where d.state like 'idle:%') as idle
	from share h join device_time d on d.run_id = h.run_id and d."window" = h."window"
	group by h.side
), rate as (	-- of all nodes; from counters where both runs have them, as calls do not see all
	select p.side, m.model, m.name, sum(m.value) as bits from pair p
		join metric m on m.run_id = p.run_id
	where m."window" = 'run' and m.subject like 'node:%' and m.model in ('counters', 'calls')
		and m.name in ('storage_read',
		'storage_write', 'network_sent', 'network_received')
			group by p.side, m.model, m.name
), chosen as (
	select name, max(model) as model
	from (select name, model from rate group by name, model having count(*) = 2
		or not exists (select 1 from rate o where o.name = rate.name group by o.model
				having count(*) = 2)) group by name
), moved as (	-- of what is not in detail, too
	select p.side, sum(c.bytes_received) * 1.0 as read, sum(c.bytes_sent) * 1.0 as written
	from pair p join call c on c.run_id = p.run_id where c.class = 'io' group by p.side
), sent as (
	select p.side, sum(c.bytes_sent) * 1.0 as bytes from pair p
		join call c on c.run_id = p.run_id where c.class in ('mpi', 'gloo', 'nccl') group
			by p.side
), partial as (
	select distinct m.model || '.' || m.name
		|| case m."window" when 'run' then '' else '@' || m."window" end as key
	from pair p join metric m on m.run_id = p.run_id
	where m.subject = '' and m.flag is not null and exists (select 1 from metric q
		where q.run_id = p.run_id and q."window" = 'run' and q.model = 'quality'
			and q.name = 'not_in_detail' and q.value > 0)
), value(ord, part, depth, figure, unit, better, key, side, value) as (
	select 1, 'time', 0, 'samples/s', 'number', 'more', null, p.side, s.rate from pair p
		join study s on s.run_id = p.run_id
	union all
	select 3, 'time', 0, 'time of a ' || unit || ', median', 'ns', 'less', null, side,
		median(ns) from stepped group by side
	union all
	select 4, 'time', 0, 'time of a ' || unit || ', 90th percentile', 'ns', 'less', null, side,
		min(ns) from ranked where nth >= 0.9 * n group by side
	union all
	select 2, 'time', 0, 'time of a ' || unit || ', mean', 'ns', 'less', null, side, avg(ns)
	from stepped group by side
	union all
	select 5, 'time', 0, 'run time', 'ns', 'less', null, p.side, s.duration_ns from pair p
		join study s on s.run_id = p.run_id
	union all
	select 6, 'time', 0, 'MFU', 'percent', 'more', m.model || '.mfu', p.side, m.value
	from pair p join metric m on m.run_id = p.run_id
	where m."window" = 'run' and m.name = 'mfu' and m.subject = '' and m.value is not null
	union all	-- of the same target
	select 7, 'time', 0, 'time to ' || min(e.value), 'ns', 'less', null, p.side, m.value
	from pair p join environment e on e.run_id = p.run_id and e.scope = ''
		and e.key = 'TACHO::TARGET'
	join metric m on m.run_id = p.run_id and m.model = 'training'
		and m.name = 'time_to_target'
	where (select count(distinct value) from environment where scope = ''
		and key = 'TACHO::TARGET' and run_id in (select run_id from pair)) = 1
	group by p.side
	union all
	select 8, 'training', 0, t.name || ', best', 'number', case when t.falls then 'less'
		else 'more' end, null, p.side, t.best
	from pair p join training t on t.run_id = p.run_id
	union all
	select 100 + ord + ("window" = 'run') * 50, 'efficiency', depth,
		label || case depth when 0 then place else '' end,
		'efficiency', 'more', model || '.' || name
			|| case "window" when 'run' then '' else '@' || "window" end, side, value
			from efficiency
	union all
	select 200, 'gpu', 0, 'GPUs: busy computing', 'percent', 'more', null, side,
		compute / nullif(total, 0) from device
	union all
	select 201, 'gpu', 0, 'GPUs: exposed NCCL', 'percent', 'less', null, side,
		nccl / nullif(total, 0) from device
	union all
	select 202, 'gpu', 0, 'GPUs: exposed copies', 'percent', 'less', null, side,
		copies / nullif(total, 0) from device
	union all
	select 203, 'gpu', 0, 'GPUs: idle', 'percent', 'less', null, side, idle / nullif(total, 0)
	from device
	union all
	select 300, 'traffic', 0, replace(replace(name, '_', ' '), 'write', 'written'), 'gbps', '',
		null, side, bits / 1e9 from rate join chosen using (name, model)
	union all
	select 310, 'traffic', 0, 'bytes read by calls', 'bytes', '', null, side, read from moved
	union all
	select 311, 'traffic', 0, 'bytes written by calls', 'bytes', '', null, side, written
	from moved
	union all
	select 320, 'traffic', 0, 'bytes sent by MPI and NCCL', 'bytes', '', null, side, bytes
	from sent
	union all
	select 400, 'own', 0, 'ranks waiting for a core (run queue)', 'percent', 'less', null,
		p.side, avg(m.value)
	from pair p join metric m on m.run_id = p.run_id
	where m."window" = 'run' and m.model = 'counters' and m.name = 'without_core'
		and m.subject like 'node:%' group by p.side
	union all
	select 401, 'own', 0, 'measurement overhead', 'percent', 'less', 'quality.overhead',
		p.side, m.value from pair p join metric m on m.run_id = p.run_id
	where m."window" = 'run' and m.model = 'quality' and m.name = 'overhead' and m.subject = ''
)
select part, depth, figure, unit,
	case when key in (select key from partial) then '' else better end as better, key,
	max(case side when 1 then value end) as base,
	max(case side when 2 then value end) as new,
	case when key is null or key not in (select key from partial)
		then max(case side when 2 then value end) * 1.0
			/ nullif(max(case side when 1 then value end), 0) - 1 end as change
from value group by ord, figure having count(value) > 0
	and (max(value) <> 0 or min(value) <> 0 or part in ('time', 'efficiency'))
	order by ord, figure;
