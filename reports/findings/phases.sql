-- Phases by the clock: from the first rank in to the last out, summed over instances.
create temp table finding_phase as
select name, instances, ns from phase_all where run_id = :run;

-- How many steps the rank with most of them made, those without a row included.
create temp table finding_steps as
select max(s.n + coalesce(r.n, 0)) as n
from (select process_id, count(*) as n from step where run_id = :run group by 1) s
	left join (select process_id, sum(steps) as n from step_rest where run_id = :run
		group by 1) r on r.process_id = s.process_id;

-- What a device computed of what was launched in a phase, wherever it ran; no row of any where no
-- trace reports launches.
create temp table finding_launched as
with launched as (
	select device_id, substr("window", 10) as phase, ns from device_time
	where run_id = :run and "window" between 'launched:' and 'launched;'
)
select d.device_id, p.phase, coalesce(l.ns, 0) as ns
from (select distinct device_id from launched) d cross join (select distinct phase from launched) p
	left join launched l on l.device_id = d.device_id and l.phase = p.phase;
create unique index temp.finding_launched_phase on finding_launched(phase, device_id);
