-- The program itself computes while the device has nothing to do: not launching, not reading.
with input as (
	select coalesce(sum(starved), 0) as ns from finding_input
)
select (l.host - i.ns) / 1e9,
	printf('the GPUs wait %.0f %% of the run for the host to compute', (l.host - i.ns) / 1e7 / r.seconds_all) as message,
	printf('select d.name, t.state, sum(t.ns) / 1e9 as s from device_time t join device d on d.id = t.device_id '
		|| 'where t.run_id = %d and t.window = ''run'' and t.state like ''idle:%%'' group by d.id, t.state', r.run_id) as evidence,
	'move it off the path of the step: into reader threads or workers, onto the GPU, or one step ahead' as advice,
	'high, as an upper bound: the ledger''s idle time of an average GPU in which its host computed, less that for input' as confidence
from finding_launch l, input i, finding_run r
where not l.short and l.syncs < 3 * max(l.steps, 1);
