-- needs: resource_tables
-- What each GPU used, as NVML reported it, and what it cost; the last row has the sums of all.
with reading as (
	select r.node_id, r.hostname, r.gpu, r.what, s.t_ns, s.value / r.divide as value
	from resource r join sample s on s.run_id = :run and s.node_id = r.node_id
		and s.name = r.name and s.process_id is null
	where r.gpu is not null
), throttled as (	-- reasons other than no work and clocks that were asked for
	select node_id, rtrim(substr(name, 5), '.throttle') as gpu,
		avg((cast(value as integer) & ~3) <> 0) as share
	from sample where run_id = :run and name glob 'gpu.*.throttle' group by 1, 2
), samples as (
	select sum(samples) * 1.0 / count(distinct n) as a_step from step
	where run_id = :run and cut = 0 and samples is not null
), energy as (
	select n.id as node_id, cast(e.gpu as text) as gpu, e.joules, e.joules_per_step, e.kind
	from gpu_energy e join node n on n.run_id = e.run_id and n.hostname = e.node
	where e.run_id = :run
), each as (
	select r.node_id, r.hostname, r.gpu,
		avg(value) filter (where what = 'utilisation') / 100 as used,
		avg(value) filter (where what = 'SMs busy') / 100 as sm,
		avg(value) filter (where what = 'tensor cores busy') / 100 as tensor,
		avg(value) filter (where what = 'memory bandwidth') / 100 as dram,
		max(value) filter (where what = 'memory') as memory,
		avg(value) filter (where what = 'SM clock') as clock,
		min(value) filter (where what = 'SM clock') as least,
		avg(value) filter (where what = 'power') as power,
		max(value) filter (where what = 'power') as peak,
		max(value) filter (where what = 'temperature') as heat
	from reading r group by 1, 2, 3
), row as (
	select 0 as ord, e.hostname,
		'GPU ' || e.gpu
			|| case g.kind when 'stand-in' then ' (emulated)' else '' end as name,
		e.used, e.sm, e.tensor, e.dram, e.memory, e.clock, e.least, e.power, e.peak, e.heat,
		t.share, g.joules, g.joules_per_step,
		cast(e.gpu as integer) as nth
	from each e left join throttled t on t.node_id = e.node_id and t.gpu = e.gpu
		left join energy g on g.node_id = e.node_id and g.gpu = e.gpu
)
select name as "GPU", hostname as "Node", used as "Use|percent|of the time a kernel ran, mean",
	sm as "SMs|percent|busy, mean (GPM)",
	tensor as "Tensor cores|percent|busy, mean (GPM)",
	dram as "Bandwidth|percent|of the GPU's memory, mean (GPM)",
	memory as "Memory|bytes|the most that was in use", clock as "SM clock|number|MHz, mean",
	least as "lowest|number|MHz", power as "Power|number|W, mean", peak as "highest|number|W",
	heat as "Heat|number|°C, highest",
	share as "Throttled|percent|of the readings: clocks held down by power, heat or hardware",
	joules as "Energy|number|J, between the first and the last reading",
	joules_per_step as "J a step|number|power × the time of a step",
	joules_per_step / nullif((select a_step from samples), 0)
		as "J a sample|number|of the samples of all ranks",
	'not reported by NVML' as "*|why|a column without a figure is left out"
from (select * from row union all
	select 1, '', 'all', avg(used), avg(sm), avg(tensor), avg(dram), sum(memory), avg(clock),
		min(least), sum(power), null,
		max(heat), avg(share), sum(joules), sum(joules_per_step), 0
	from row having count(*) > 1)
order by ord, hostname, nth, name;
