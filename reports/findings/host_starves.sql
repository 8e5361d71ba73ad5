-- The program itself computes while the device has nothing to do: not launching, not reading.
-- Where kernels are so short that launching them is the trouble, only waiting and sleeping count.
with input as (
	select coalesce(sum(starved), 0) as ns from finding_input
), idle as (
	select case when short then 0 else host end as host, wait, syncs, steps from finding_launch
)
select (l.host + l.wait - i.ns) / 1e9,
	printf('the GPUs%s wait %.0f %% of the run for the host, which '
		|| 'computes for %.0f %% of that and waits or sleeps else', u.only,
		(l.host + l.wait - i.ns) / 1e7 / r.seconds_all,
		100 * l.host / (l.host + l.wait)) as message,
	printf('select d.name, t.state, sum(t.ns) / 1e9 as s from device_time t '
			|| 'join device d on d.id = t.device_id '
		|| 'where t.run_id = %d and t.window = ''run'' and t.state '
			|| 'like ''idle:%%'' group by d.id, t.state', r.run_id) as evidence,
	'move it off the path of the step: into reader threads or '
		|| 'workers, onto the GPU, or one step ahead' as advice,
	'high, as an upper bound: the ledger''s idle time of an average '
		|| 'GPU in which its host computed or waited for nothing of the '
		|| 'GPU, less that for input' as confidence
from idle l, input i, finding_gpus u, finding_run r
where l.syncs < 3 * max(l.steps, 1);
