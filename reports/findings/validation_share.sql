-- Validation that comes again and again and takes more than a fifth of the
-- run; every second time would do. Where one rank does it alone, that is the finding.
with held_out as (
	select name, ns, instances from finding_phase
	where (name like 'valid%' or name like 'eval%' or name like 'test%') and instances > 1
		and name not in (select phase from finding_serial)
)
select h.ns / 2e9 as seconds, h.name as phase, h.ns / 1e7 / r.seconds_all as percent,
	h.instances
from held_out h, finding_run r where h.ns >= :large * 1e9 * r.seconds_all;
