-- The host waits for the device again and again within a step: nothing is queued when it goes
-- on, so the device waits for the next launch. One wait a step is taken as needed.
with waits as (
	-- without a GPU the calls, of which there are many, are not looked at
	select coalesce((select name from (select 1 from finding_gpu limit 1) cross join call
				where run_id = :run
				and (name like 'cu%Synchronize' or name like 'hip%Synchronize')
		group by name order by sum(calls) desc limit 1), '') as name
), launch as (
	select *, api + host + min(queued, syncs * launch_ns) as idle from finding_launch
)
select l.idle / 1e9 * (1 - l.steps / l.syncs),
	printf('the host waits for the GPU %.0f times a step, most in %s, and '
			|| 'the GPU then %.0f µs for the next launch',
		l.syncs / l.steps, w.name, l.idle / 1e3 / l.syncs) as message,
	printf('select name, sum(calls) as calls, sum(total_ns) / 1e9 as s from '
			|| 'call where run_id = %d '
		|| 'and name like ''%%Synchronize'' group by name', r.run_id) as evidence,
	'leave out what only waits (item(), print of a loss, a barrier '
		|| 'for timing), or ask once a step' as advice,
	'medium: the ledger''s idle time in launches, less that after one wait a step' as confidence
from launch l, waits w, finding_run r
where l.steps > 0 and l.syncs >= 3 * l.steps and l.syncs >= 0.05 * l.kernels
	and (not l.short or l.syncs >= 0.2 * l.kernels);
