-- needs: step_tables
-- One row: the run in figures. Samples per second are those of the phase with
-- most samples, over the time of it that was recorded (of the ranks where steps have no phase:
-- what children outlived them is no time for samples).
with ranks as (
	select id, node_id from process where run_id = :run and rank is not null
), phase_samples as (
	select phase as name, samples from phase_steps where samples > 0 order by 2 desc limit 1
), phase_time as (
	select sum(ns) as ns from phase_all
	where run_id = :run and name = (select name from phase_samples)
), lost as (
	select ns from lost_time where run_id = :run
	and "window" = coalesce('phase:' || (select name from phase_samples), 'run')
), peak as (
	select cast(e.value as real) as peak, case when o.value like 'measured%' then 'as measured'
		when o.value is not null then 'by the data sheet' else 'as given' end as rests
	from environment e left join environment o on o.run_id = e.run_id and o.scope = ''
		and o.key = 'TACHO::PEAK_FLOPS_OF'
	where e.run_id = :run and e.scope = '' and e.key = 'TACHO::PEAK_FLOPS'
), scale(least, power, unit) as (
	values (0, 1e6, 'M'), (1e9, 1e9, 'G'), (1e12, 1e12, 'T'), (1e15, 1e15, 'P')
), mfu as (
	select m.model, m."window", m.value, m.flag, p.peak, p.rests, s.power, s.unit
	from metric m left join peak p left join scale s on s.least <= p.peak
	where m.run_id = :run and m.name = 'mfu' and m.subject = ''
		and m."window" in ('run', 'phase:' || (select name from phase_samples))
	order by m."window" = 'run', s.least desc limit 1
)
select r.label as "Run",
	r.nranks as "Ranks|count",
	(select count(*) from node where run_id = :run) as "Nodes|count",
	(select count(*) from device where run_id = :run and kind <> 'stand-in') as "GPUs|count",
	(select count(*) from device where run_id = :run and kind = 'stand-in')
		as "Emulated GPUs|count",
	(select ns from run_time where run_id = :run) as "Duration|ns",
	(select max(n) from (select sum(steps) as n from step_all where run_id = :run
				group by process_id)) as "Steps|count",
	(select samples from phase_samples) * 1e9
		/ nullif(coalesce((select ns from phase_time), (select max(end_ns) - min(start_ns)
			from process where run_id = :run and rank is not null), r.duration_ns)
			- coalesce((select ns from lost), 0), 0) as "Samples/s|number",
	(select name from phase_samples) as "Phase",
	(select value from mfu) as "MFU|percent",
	(select case when value is not null then ' of ' || printf('%.4g ', peak / power) || unit
			|| 'FLOP/s a ' || case model when 'device' then 'GPU' else 'rank' end
			|| ', ' || rests || case when "window" = 'run' and (select name
				from phase_samples) is not null then ', in the run' else '' end
			end from mfu) as "MFU of",
	(select case when value is null then flag end from mfu) as "MFU unknown",
	r.cut as "Truncated|count",
	(select count(*) from lost_time where run_id = :run and "window" = 'run')
		as "Lossy|count",
	(select 1 - sum(m.value) / (select sum(h.ns) from host_time h join process p
			on p.id = h.process_id where h.run_id = :run and h."window" = 'run'
			and p.rank is not null and h.state <> 'absent')
		from metric m where m.run_id = :run and m."window" = 'run' and m.model = 'quality'
			and m.name = 'not_in_detail') as "In detail|percent",
	r.exit_status as "Exit status|number",
	r.command as "Command|path",
	strftime('%Y-%m-%d %H:%M:%S UTC', r.start_ns / 1000000000, 'unixepoch') as "Started",
	strftime('%Y-%m-%d %H:%M:%S UTC', r.analyzed_ns / 1000000000, 'unixepoch') as "Analysed",
	r.nevents as "Events|count",
	r.nlocations as "Locations|count",
	r.tacho_version as "Version",
	r.path as "Archive|path"
from run r where r.id = :run;
