-- NCCL between GPUs of one node that does not go from GPU to GPU: turned off by a variable, or the
-- GPUs have NVLink, whose counters hardly grow while NCCL moves bytes, as long as they were read:
-- not the whole of a short run. Through the host they take twice as long at least: half of the time
-- in which nothing is computed meanwhile.
with together as (	-- GPUs that are used, on nodes with several of them
	select sum(n) as gpus from (
		select count(*) as n from device where run_id = :run
			and id in (select device_id from finding_device) group by node_id)
	where n > 1
), variable as (
	select substr(key, 5) || '=' || value as text from environment
	where run_id = :run and scope like 'rank:%' and value not in ('', '0')
		and (key = 'var.NCCL_P2P_DISABLE' or (key = 'var.NCCL_P2P_LEVEL' and value = 'LOC'))
	order by key limit 1
-- read by NVML now and then, and sampled oftener: it grew until it was seen to be at its most
), counter as (
	select node_id, name, t_ns, value, max(value) over (partition by node_id, name) as most
	from sample
	where run_id = :run and name glob 'gpu.[0-9]*.nvlink_tx'
), link as (
	select sum(bytes) as bytes, max(begin) as begin,
		min(case when bytes > 0 or end - begin < :nvlink_read_ns then seen
				else end end) as end
	from (
		select max(value) - min(value) as bytes, min(t_ns) as begin, max(t_ns) as end,
			min(case when value = most then t_ns end) as seen
		from counter group by node_id, name)
), moved as (
	select sum(c.busbw * (c.end_ns - c.last_ns) / 1e9 * m.size) as bytes,
		sum(c.busbw * max(0, min(c.end_ns, l.end) - max(c.last_ns, l.begin)) / 1e9 * m.size)
			as near
	from link l cross join collective c join communicator m on m.run_id = c.run_id
		and m.kind = c.kind and m.id = c.comm_id
	-- else nothing says which way it took
	where (l.bytes is not null or exists (select 1 from variable))
		and c.run_id = :run and c.kind = 'nccl' and c.bytes > :small_read and c.busbw > 0
), exposed as (
	select sum(ns) as ns, sum(case when state = 'nccl_transfer' then ns else 0 end) as transfer
	from finding_gpu
)
select e.transfer / 1e9 * (1 - 1.0 / :through_host) as seconds, m.near / 1e9 as moved_gb,
	l.bytes / 1e9 as nvlink_gb,
	v.text as variable, 100.0 * e.transfer / e.ns as percent,
	case when v.text is null then 'nvlink' else 'variable' end as message,
	case when v.text is null then 'nvlink' else 'variable' end as evidence
from together t, exposed e, moved m, link l left join variable v, finding_run r
where t.gpus > 1 and e.transfer > 0 and m.bytes > 0
	and (v.text is not null or l.bytes < :some * m.near);
