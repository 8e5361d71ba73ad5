-- After scaling_tables.sql and the fits of scaling.c: these as metrics of each configuration's
-- reference, and the temporary table `scaling_law` of those windows that last at least a twentieth
-- of the runs.
insert into metric select r.ref, f."window", 'scaling', f.name, '', f.value, '1', f.why
	from scaling_fit f join (select distinct configuration, ref from scaled) r
		on r.configuration = f.configuration where f."window" <> 'factor'
	union all select r.ref, f."window", 'scaling', f.name || '_error', '', f.error, '1',
		coalesce(f.why, case when f.error is null then 'too few runs for an interval' end)
	from scaling_fit f join (select distinct configuration, ref from scaled) r
		on r.configuration = f.configuration where f."window" <> 'factor';

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

-- Beyond what was run: twice and four times the largest size, never more. The laws of whole runs,
-- and POP's factors f, each of which falls as 1 / f = 1 + a (size - 1) of the reference's; bounds
-- are those that the fits' intervals give. The phase that would lose most against an ideal run, by
-- its own law, bounds the run first.
create temp table scaling_beyond as
with size as (
	select s.configuration, k.column1 * max(s.units) as units,
		k.column1 * max(s.units) * 1.0 / s.ref_units as x
	from scaled s, (values (2), (4)) k where s."window" = 'run'
	group by s.configuration, k.column1
), law as (
	select f.configuration, f."window", f.name, f.value as a, coalesce(f.error, 0) as e,
		coalesce(c.value, 0) as b, coalesce(c.error, 0) as d, f.error is null as unsure
	from scaling_fit f left join scaling_fit c on c.configuration = f.configuration
		and c."window" = f."window" and f.name = 'usl_contention'
		and c.name = 'usl_coherence'
	where f.value is not null and f.name <> 'usl_coherence'
), said as (
	select z.units, z.x, l.*,
		case l.name when 'gustafson_serial_share' then x - a * (x - 1)
			else x / (1 + a * (x - 1) + b * x * (x - 1)) end as value,
		case l.name when 'gustafson_serial_share' then x - min(1, a + e) * (x - 1)
			else x / (1 + (a + e) * (x - 1) + (b + d) * x * (x - 1)) end as low,
		case l.name when 'gustafson_serial_share' then x - max(0, a - e) * (x - 1)
			else x / (1 + max(0, a - e) * (x - 1) + max(0, b - d) * x * (x - 1)) end
			as high
	from size z join law l on l.configuration = z.configuration
), loss as (
	select s.configuration, s.units, substr(s."window", 7) as phase,
		case s.name when 'gustafson_serial_share' then r.ns * (x / value - 1)
			else r.ns * (1 / value - 1 / x) end as lost_ns
	from said s join (select configuration, "window", max(ref_ns) as ns from scaled
			group by 1, 2) r
		on r.configuration = s.configuration and r."window" = s."window"
	where s."window" like 'phase:%' and s.name in ('amdahl_serial_share',
			'gustafson_serial_share') and value > 0
), bound as (
	select *, row_number() over (partition by configuration, units order by lost_ns desc)
		as nth from loss
), shown as (
	select s.*, s."window" = 'factor' as is_factor,
		case s."window" when 'factor' then f.ref / x else 1 end as times
	from said s left join (select configuration, label, max(ref) as ref from scaling_factor
			group by 1, 2) f
		on f.configuration = s.configuration and f.label = s.name
	where s."window" in ('run', 'factor')
)
select s.configuration, s.units, is_factor,
	case when is_factor then s.name else 'speed-up, ' || case s.name
		when 'amdahl_serial_share' then 'Amdahl'
		when 'gustafson_serial_share' then 'Gustafson' else 'USL' end end as what,
	times * value as value, case when not unsure then times * low end as low,
	case when not unsure then times * high end as high,
	case when not is_factor and s.name <> 'usl_contention' and b.lost_ns > 0
		then printf('%s: %.3g s of loss against an ideal run', b.phase, b.lost_ns / 1e9) end
		as bound
from shown s left join bound b on b.configuration = s.configuration and b.units = s.units
	and b.nth = 1;
