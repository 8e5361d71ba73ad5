-- needs: unseen_tables
-- For studies over sizes, executed after runs_study.sql and the temporary table `scaling_rule`
-- (rule: strong, weak or auto): temporary tables `scaled`, a row per run and window of a
-- configuration that has several sizes, and `scaling_lost`; and the model scaling of table metric.
-- metrics.md 6 (POP's scalabilities): w is the ranks' useful time, or the devices' compute time
-- where there are devices, of which only those count that did something; work is how many times the
-- reference's work a run did: 1 where it is constant (strong), the ratio of sizes where it grows
-- with them (weak), and by itself the ratio of the samples. Useful time in which a rank had no
-- core, as it waited in the run queue or its machine was taken by another, is no work (`free` is
-- the rest): that is a factor of its own, where both runs counted it. A rank wants a core all the
-- time but when it waits, and had none in the same share of all of that. Of a bounded run, a rank's
-- states are those of its time in detail, extended to all of it; useful time as its efficiency has
-- it, which is of all of it.
-- A speed-up beyond 1.5 times the ideal is more likely the noise of a run than an effect of caches:
-- it counts where each of both sizes has three runs.
delete from metric where model = 'scaling';
create temp table scaling_refused as
select 'over 1.5 times the ideal, from fewer than 3 runs of a size: repeat them' as why;
create temp table scaled as
with sized as (
	select *, first_value(run_id) over c as ref,
		count(*) over (partition by configuration) as nruns,
		max(units) over (partition by configuration) as most,
		min(units) over (partition by configuration) as least
	from study where units > 0 and counts
	window c as (partition by configuration order by units, run_id)
), spent as (
	select s.run_id, s."window", max(outside) as most_outside, sum(useful) as useful,
		avg(whole) as whole, max(extent) > 1 as is_part, count(*) as nranks,
		case when count(w.value) = count(*) then sum(useful
			* max(0, 1 - w.value / nullif(awake, 0)) * (1 - coalesce(t.value, 0))) end
			as free
	from (
		select h.run_id, h."window", p.rank, p.node_id, coalesce(k.extent, 1) as extent,
			coalesce(k.extent, 1) * sum(case when h.state not in ('wait', 'absent',
					'not_in_detail') then h.ns else 0 end)
			as awake,
			coalesce(k.extent, 1) *
				sum(case when h.state not in ('mpi', 'gloo', 'absent',
					'not_in_detail') then h.ns else 0 end)
			as outside,
			coalesce(k.extent, 1) *
				sum(case when h.state = 'useful' then h.ns else 0 end)
			as useful,
			sum(h.ns) as whole
		from host_time h left join (	-- by how much the time in detail is extended
			select run_id, "window", process_id, case when total(ns) filter (where state
						= 'not_in_detail') > 0
				then sum(ns) * 1.0 / nullif(total(ns) filter (where state
							<> 'not_in_detail'), 0)
				else 1 end as extent
			from host_time where state <> 'absent' group by run_id, "window", process_id
		) k on k.run_id = h.run_id and k."window" = h."window"
			and k.process_id = h.process_id
		join process p on p.id = h.process_id and p.rank is not null
		where h."window" = 'run' or h."window" like 'phase:%'
		group by h.run_id, h."window", h.process_id) s
		left join node n on n.id = s.node_id
		left join metric w on w.run_id = s.run_id and w."window" = s."window"
		and w.model = 'counters' and w.name = 'core_waited'
		and w.subject = 'rank:' || s.rank
		left join metric t on t.run_id = s.run_id and t."window" = s."window"
		and t.model = 'counters' and t.name = 'stolen' and t.subject = 'node:' || n.hostname
	group by s.run_id, s."window"
), busy as (
	select run_id, "window", sum(ns) as compute from device_time
	where state = 'compute' and ("window" = 'run' or "window" like 'phase:%')
	group by run_id, "window"
), seen as (
	select z.run_id, z.configuration, z.label, z.units, z.ngpus, z.nruns, z.ref, z.most,
		s."window",
		case when x.value > 0 and not s.is_part then s.most_outside / x.value
			else s.whole end as ns,
		case when z.ngpus > 0 then coalesce(b.compute, 0) when s.is_part and h.value > 0
			then h.value * s.nranks * s.whole else s.useful end as useful,
		case when z.ngpus > 0 then null when s.is_part and h.value > 0
			then s.free * h.value * s.nranks * s.whole / nullif(s.useful, 0)
			else s.free end as free,
		case when z.ngpus > 0 then d.value * z.nvisible / z.ngpus
				when u.run_id is null then e.value end as parallel,
		case when z.ngpus > 0 then d.flag when u.run_id is not null
				then 'no MPI or NCCL call of the ranks was seen'
				else e.flag end as why,
		(select t.samples from study_samples t
				where t.run_id = z.run_id and case when s."window" = 'run' then
			t.name is (select m.name from study_samples m
					where m.run_id = z.ref and m.nth = 1)
				else 'phase:' || t.name = s."window" end) as samples,
		i.value as instructions, c.value as ipc, f.value as frequency
	from sized z join spent s on s.run_id = z.run_id
		left join busy b on b.run_id = z.run_id and b."window" = s."window"
		left join unseen u on u.run_id = z.run_id
		left join metric e on e.run_id = z.run_id and e."window" = s."window"
		and e.model = 'mpi' and e.name = 'parallel_efficiency' and e.subject = ''
		left join metric x on x.run_id = z.run_id and x."window" = s."window"
		and x.model = 'mpi' and x.name = 'communication_efficiency' and x.subject = ''
		left join metric h on h.run_id = z.run_id and h."window" = s."window"
		and h.model = 'host' and h.name = 'host_parallel_efficiency' and h.subject = ''
		left join metric d on d.run_id = z.run_id and d."window" = s."window"
		and d.model = 'device' and d.name = 'device_parallel_efficiency' and d.subject = ''
		left join metric i on i.run_id = z.run_id and i."window" = s."window"
		and i.model = 'host' and i.name = 'useful_instructions' and i.subject = ''
		left join metric c on c.run_id = z.run_id and c."window" = s."window"
		and c.model = 'host' and c.name = 'useful_ipc' and c.subject = ''
		left join metric f on f.run_id = z.run_id and f."window" = s."window"
		and f.model = 'host' and f.name = 'useful_frequency' and f.subject = ''
	where z.most > z.least
), matched as (
	select s.*, r.units as ref_units, r.ns as ref_ns, r.useful as ref_useful,
		r.free as ref_free,
		r.instructions as ref_instructions, r.ipc as ref_ipc,
		r.frequency as ref_frequency, (s.ngpus > 0) = (r.ngpus > 0) as alike,
		s.units * 1.0 / r.units as times,
		s.samples * 1.0 / r.samples as by_samples, min(s.nruns, r.nruns) as nruns_both
	from seen s join seen r on r.run_id = s.ref and r."window" = s."window"
), worked as (
	select m.*, m.ref_ns / nullif(m.ns, 0) as faster, (m.free / nullif(m.useful, 0))
			/ nullif(m.ref_free / nullif(m.ref_useful, 0), 0) as core,
		case (select rule from scaling_rule) when 'strong' then 1.0
			when 'weak' then m.times else coalesce(m.by_samples, w.by_samples, 1.0) end
		as work
	from matched m join matched w on w.run_id = m.run_id and w."window" = 'run'
)
select run_id, configuration, label, units, ngpus > 0 as gpus, ref, most, "window", ns, ref_ns,
	useful, ref_useful, parallel, why, alike, times, by_samples, work, ref_units,
	case when nruns_both >= 3 or faster * work <= 1.5 * times then faster * work end as speedup,
	nruns_both < 3 and faster * work > 1.5 * times as refused,
	ref_ns * work / times as ideal_ns,
	case when alike and core > 0 then ref_free * work / nullif(free, 0)
		when alike then ref_useful * work / nullif(useful, 0) end as computation,
	case when alike and core > 0 then core end as core,
	case when alike and ngpus = 0 then ref_instructions * work / nullif(instructions, 0) end
		as instructions,
	case when alike and ngpus = 0 then ipc / nullif(ref_ipc, 0) end as ipc,
	-- cycles per second of the time with a core
	case when alike and ngpus = 0 then frequency / nullif(ref_frequency, 0)
			/ case when core > 0 then core else 1 end end as frequency
from worked;
create index scaled_run on scaled(run_id, "window");

with figures(model_name, value, why, run_id, "window", unit) as (
	select 'runtime', ns, null, run_id, "window", 'ns' from scaled
	union all select 'work', work, null, run_id, "window", '1' from scaled
	union all select 'speedup', speedup, (select why from scaling_refused), run_id, "window",
		'1' from scaled
	union all select 'computation_scalability', computation,
		case when not alike then 'the reference has no devices, or this run has none'
		else 'no useful time' end, run_id, "window", '1' from scaled
	union all select 'core_scalability', core,
		'no run-queue wait of the ranks was counted in both runs', run_id,
		"window", '1' from scaled
	union all select 'instruction_scalability', instructions,
		'instructions were not counted in both runs', run_id, "window", '1' from scaled
	union all select 'ipc_scalability', ipc,
		'instructions and cycles were not counted in both runs', run_id, "window", '1'
	from scaled
	union all select 'frequency_scalability', frequency, 'cycles were not counted in both runs',
		run_id, "window", '1' from scaled
	union all select 'global_efficiency', parallel * computation * coalesce(core, 1),
		case when parallel * computation * coalesce(core, 1) > 1 + 1e-12
			then 'more than 1: computation scales better than linearly'
		else coalesce(why, 'no parallel efficiency or no computation scalability') end,
		run_id, "window", '1' from scaled
)
insert into metric select run_id, "window", 'scaling', model_name, '', value, unit,
	case when value is null or model_name = 'global_efficiency'
		and value > 1 + 1e-12 then why end from figures;

-- POP's factors of whole runs, beside those of the reference: what they become beyond these runs is
-- fitted to them.
create temp table scaling_factor as
with leaf(model, name, label) as (values ('scaling', 'computation_scalability',
		'computation scalability'),
	('mpi', 'load_balance', 'load balance'),
	('mpi', 'communication_efficiency', 'communication efficiency'),
	('device', 'load_balance', 'load balance of the devices'),
	('device', 'communication_efficiency', 'communication efficiency of the devices'),
	('device', 'orchestration_efficiency', 'orchestration efficiency')
)
select s.configuration, f.label, s.times, m.value, r.value as ref
from scaled s join leaf f on f.model = 'scaling' or (f.model = 'device') = s.gpus
	join metric m on m.run_id = s.run_id and m."window" = 'run' and m.model = f.model
	and m.name = f.name and m.subject = ''
	join metric r on r.run_id = s.ref and r."window" = 'run' and r.model = f.model
	and r.name = f.name and r.subject = ''
where s."window" = 'run' and s.alike and m.value > 0 and r.value > 0
	and (f.model <> 'mpi' or s.run_id not in (select run_id from unseen));

-- The factors that say why a size lost time, of each run and window.
create temp table scaling_leaf as
with leaf(model, name, label) as (values ('scaling', 'computation_scalability',
		'computation scalability'),
	('scaling', 'core_scalability', 'core scalability (CPU contention)'),
	('mpi', 'load_balance', 'load balance'),
	('mpi', 'serialisation_efficiency', 'serialisation efficiency'),
	('mpi', 'transfer_efficiency', 'transfer efficiency'),
	('device', 'load_balance', 'load balance of the devices'),
	('device', 'communication_efficiency', 'communication efficiency of the devices'),
	('device', 'orchestration_efficiency', 'orchestration efficiency')
)
	select m.run_id, m."window", f.model, f.label,
		case when f.model = 'device' and f.name = 'load_balance'
			then m.value * s.nvisible / s.ngpus else m.value end as value
	from leaf f join metric m on m.model = f.model and m.name = f.name and m.subject = ''
		join study s on s.run_id = m.run_id
	where f.model = 'scaling'
		or ((f.model = 'device') = (s.ngpus > 0)
			and m.run_id not in (select run_id from unseen));
create index temp.scaling_leaf_run on scaling_leaf(run_id, "window");

-- Where the largest run of a configuration lost time against the ideal one, by phases and outside
-- of them; and the factor that fell most.
create temp table scaling_lost as
with largest as (
	select s.* from scaled s
	where s.run_id = (select l.run_id from scaled l
			where l.configuration = s.configuration and l.units = l.most
		and l."window" = 'run' order by l.run_id limit 1)
), apart as (
	select configuration, run_id, ref, "window", ns, ref_ns, ideal_ns, speedup, times, work
	from largest where "window" <> 'run'
	union all
	select r.configuration, r.run_id, r.ref, 'outside of phases', r.ns - p.ns,
		r.ref_ns - p.ref_ns, (r.ref_ns - p.ref_ns) * r.work / r.times,
		(r.ref_ns - p.ref_ns) * r.work / nullif(r.ns - p.ns, 0), r.times, r.work
	from largest r join (select run_id, sum(ns) as ns, sum(ref_ns) as ref_ns from largest
			where "window" <> 'run' group by run_id) p on p.run_id = r.run_id
	where r."window" = 'run' and r.ns >= p.ns and r.ref_ns >= p.ref_ns
	union all
	select configuration, run_id, ref, 'run', ns, ref_ns, ideal_ns, speedup, times, work
	from largest where "window" = 'run'
), fell as (
	select a.run_id, a."window", m.label, r.value as before, m.value as after,
		row_number() over (partition by a.run_id, a."window"
				order by m.value / r.value) as nth
	from apart a join scaling_leaf r on r.run_id = a.ref
			and r."window" = a."window" and r.value > 0
		join scaling_leaf m on m.run_id = a.run_id and m."window" = a."window"
		and m.model = r.model and m.label = r.label
)
select a.*, a.ns - a.ideal_ns as lost_ns,
	case when f.after < 0.98 * f.before then printf('%s %.2f → %.2f', f.label, f.before,
			f.after) end as fell,
	case when (select count(distinct configuration) from scaled) > 1 then a.configuration
			|| ': ' else '' end ||
		case when a."window" = 'run' then 'whole run'
				when a."window" like 'phase:%' then substr(a."window", 7)
				else a."window" end as phase
from apart a left join fell f on f.run_id = a.run_id and f."window" = a."window" and f.nth = 1;
