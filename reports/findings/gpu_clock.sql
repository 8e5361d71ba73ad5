-- A GPU that lowers its clock while it works: reasons as NVML's bits report them (idle and clocks
-- set by the user do not count). At full clock its computing would take that much less, at best.
with gpu as (
	select s.node_id, substr(s.name, 1, length(s.name) - 9) as name, s.t_ns,
		cast(s.value as integer) as bits
	from sample s where s.run_id = :run and s.name glob 'gpu.[0-9]*.throttle'
), lowered as (
	select node_id, name, avg(bits & 252 <> 0) as share, max(bits & 4) as power,
		max(bits & 104) as heat,
		max(bits & 144) as other
	from gpu where bits & 1 = 0 group by node_id, name
), clock as (
	select c.node_id, substr(c.name, 1, length(c.name) - 9) as name, avg(c.value) as now,
		(select max(value) from sample m where m.run_id = c.run_id and m.node_id = c.node_id
			and m.name = substr(c.name, 1, length(c.name) - 9)
				|| '.sm_clock_max') as most
	from sample c where c.run_id = :run and c.name glob 'gpu.[0-9]*.sm_clock'
		and exists (select 1 from gpu g where g.node_id = c.node_id
				and g.name = substr(c.name, 1, length(c.name) - 9)
			and g.t_ns = c.t_ns and g.bits & 1 = 0 and g.bits & 252 <> 0)
	group by c.node_id, c.name
), worst as (
	select l.*, c.now, c.most, n.hostname, min(c.now / c.most), count(*) as many
	from lowered l join clock c on c.node_id = l.node_id and c.name = l.name
		join node n on n.id = l.node_id
	where l.share >= :some and c.now < :clock * c.most
), computing as (
	select coalesce(sum(case when state = 'compute' then ns end), 0) as ns from finding_gpu
)
select c.ns / 1e9 * w.share * (1 - w.now / w.most) as seconds, substr(w.name, 5) as gpu,
	w.hostname, w.now, w.most, 100 * w.share as percent,
	case when w.power then 'power' when w.heat then 'heat' else 'other' end as cause,
	case when w.many > 1 then w.many end as many
from worst w, computing c, finding_run r where w.name is not null;
