-- Validation that comes again and again and takes more than a fifth of the
-- run; every second time would do. Where one rank does it alone, that is the finding.
with held_out as (
	select name, ns, instances from finding_phase
	where (name like 'valid%' or name like 'eval%' or name like 'test%') and instances > 1
		and name not in (select phase from finding_serial)
)
select h.ns / 2e9, printf('%s takes %.0f %% of the run, %d times', h.name,
		h.ns / 1e7 / r.seconds_all, h.instances) as message,
	printf('select instance, (max(end_ns) - min(start_ns)) / 1e9 as s from '
			|| 'phase where run_id = %d and name = %Q group by instance',
		r.run_id, h.name) as evidence,
	'half as often, or with half as many samples' as advice,
	'high: half of its time' as confidence
from held_out h, finding_run r where h.ns >= 0.2e9 * r.seconds_all;
