-- Matrix work outside of tensor cores, as its kernels' names tell. Half precision made trainings of
-- ResNet-50 on V100 1.63 to 1.83 times as fast with MXNet and Caffe2 (Dell, 2017), and 2.03 to 2.10
-- times with PyTorch (NVIDIA's DeepLearningExamples, 2018). The middle, 1.85, and for this part of
-- the time only: whole trainings are more than that. The replay says what that leaves of the run
-- (analyzer/tables/kernel.h has the same factor): GPUs that wait for their input, for each other or
-- for hosts gain less. It is of the time in which the ranks were there, which t1 and its share say.
-- Where it cannot, for want of launches in the trace, GPUs are taken to be what limits the run.
with kernels as (
	select sum(case when tensor_core = 0 and class in ('gemm', 'convolution', 'attention')
				then total_ns else 0 end) as plain,
		sum(case when tensor_core = 1 then total_ns else 0 end) as cores,
		sum(total_ns) as all_ns
	from kernel where run_id = :run
), devices as (
	select count(distinct device_id) as n from finding_device
), replayed as (
	select value as ns from metric where run_id = :run and "window" = 'run'
		and model = 'replay' and name = 't_tensor_cores' and subject = ''
), measured as (
	select t.value / e.value as ns from metric t join metric e on e.run_id = t.run_id
		and e."window" = t."window" and e.model = t.model and e.subject = t.subject
	where t.run_id = :run and t."window" = 'run' and t.model = 'replay' and t.subject = ''
		and t.name = 't1' and e.name = 'transfer_efficiency' and e.value > 0
), most as (
	select name from kernel where run_id = :run and tensor_core = 0
		and class in ('gemm', 'convolution', 'attention') group by name
		order by sum(total_ns) desc limit 1
)
select coalesce(coalesce(a.ns / 1e9, r.seconds_all) - t.ns / 1e9,
		k.plain / 1e9 / max(d.n, 1) * (1 - 1 / :tensor_times)) as seconds,
	100.0 * k.plain / k.all_ns as percent, m.name as kernel,
	case when t.ns is null then 'rates' else 'replay' end as confidence
from kernels k, devices d, most m, finding_run r left join replayed t left join measured a on 1
where k.plain > :large * k.all_ns and k.plain > k.cores;
