-- GPUs that the bandwidth of their memory bounds, as GPM measures it (Hopper and later):
-- readings in which the GPU works and its memory moves as much as it can, while tensor cores
-- mostly wait. NVIDIA's guide for such figures (DCGM's field DRAM active) takes 60 to 80 % for
-- memory-bound: the peak is never reached. Kernels that moved half as many bytes would take half
-- of that time: an upper bound, as not all bytes can be spared.
with gpu as (
	select d.node_id, substr(d.name, 1, length(d.name) - 12) as name, d.t_ns,
		d.value / 1e4 as dram,
		(select s.value / 1e4 from sample s where s.run_id = :run and s.node_id = d.node_id
			and s.process_id is null and s.t_ns = d.t_ns
			and s.name = substr(d.name, 1, length(d.name) - 12) || '.sm_active') as sm,
		(select s.value / 1e4 from sample s where s.run_id = :run and s.node_id = d.node_id
			and s.process_id is null and s.t_ns = d.t_ns
			and s.name = substr(d.name, 1, length(d.name) - 12) || '.tensor_active')
			as tensor
	from sample d where d.run_id = :run and d.name glob 'gpu.[0-9]*.dram_active'
), worked as (
	select node_id, name, avg(dram >= :dram_full and coalesce(tensor, 0) < dram) as share,
		avg(dram) as dram, avg(tensor) as tensor, avg(sm) as sm
	from gpu where sm >= :sm_works group by node_id, name
), most as (
	select w.*, n.hostname, max(w.share) as first, count(*) as many,
		avg(w.share) as all_share
	from worked w join node n on n.id = w.node_id where w.share >= :some
), computing as (
	select coalesce(sum(case when state = 'compute' then ns end), 0) as ns from finding_gpu
)
select c.ns / 1e9 * m.share / 2 as seconds, substr(m.name, 5) as gpu, m.hostname,
	100 * m.share as percent, 100 * m.dram as dram, 100 * m.tensor as tensor,
	case when m.many > 1 then m.many end as many
from most m, computing c where m.name is not null;
