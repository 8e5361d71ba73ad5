-- After scaling_tables.sql and the fits of scaling.c: these as metrics of each configuration's
-- reference, and the temporary table `scaling_law` of those windows that last at least a twentieth
-- of the runs.
insert into metric select r.ref, f."window", 'scaling', f.name, '', f.value, '1', f.why
	from scaling_fit f join (select distinct configuration, ref from scaled) r
		on r.configuration = f.configuration
	union all select r.ref, f."window", 'scaling', f.name || '_error', '', f.error, '1',
		coalesce(f.why, case when f.error is null then 'too few runs for an interval' end)
	from scaling_fit f join (select distinct configuration, ref from scaled) r
		on r.configuration = f.configuration;

create temp table scaling_law as
with about(name, nth, law, what) as (values ('amdahl_serial_share', 1, 'Amdahl', 'serial'),
		('gustafson_serial_share', 1, 'Gustafson', 'serial'),
	('usl_contention', 2, 'USL', 'contention'), ('usl_coherence', 3, 'USL', 'coherence')
), spent as (
	select configuration, "window", ref_units, gpus, sum(ns) as ns,
		sum(sum(case when "window" = 'run' then ns end)) over (partition by configuration)
		as whole
	from scaled group by configuration, "window"
)
select f.configuration, f."window", (select phase from scaling_lost l
		where l.configuration = f.configuration and l."window" = f."window") as phase,
	a.nth, a.law, a.what, f.value, f.error,
	case when f.why is not null then 'none: ' || f.why
		when a.law = 'Amdahl'
		and f.value > 0 then printf('at most %.3g times as fast as the reference',
				1 / f.value)
		when a.what = 'coherence' and f.value > 0
		and 1 - c.value < f.value then 'fastest at the size of the reference'
		when a.what = 'coherence' and f.value > 0
			then printf('fastest at %.0f %s', s.ref_units
				* sqrt((1 - c.value) / f.value),
			case when s.gpus then 'GPU' else 'rank' end)
				|| case when s.ref_units * sqrt((1 - c.value) / f.value) < 1.5
				then '' else 's' end
		when f.value = 0 then 'none is seen' end as means, f.why
from scaling_fit f join about a on a.name = f.name
	join spent s on s.configuration = f.configuration and s."window" = f."window"
	left join scaling_fit c on c.configuration = f.configuration and c."window" = f."window"
	and c.name = 'usl_contention'
where s.ns >= 0.05 * s.whole;
