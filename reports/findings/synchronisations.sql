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
select l.idle / 1e9 * (1 - l.steps / l.syncs) as seconds, l.syncs / l.steps as per_step,
	w.name as call, l.idle / 1e3 / l.syncs as idle_us
from launch l, waits w, finding_run r
where l.steps > 0 and l.syncs >= :syncs * l.steps and l.syncs >= :syncs_part * l.kernels
	and (not l.short or l.syncs >= :large * l.kernels);
