/*
 * metric_mfu.c - how much of the peak of its GPUs, or ranks, a training used: by the FLOPs of a
 * sample or step and the peak that were given, or a peak by a data sheet or as measured. See metric.h.
 */
#include "config.h"

#include "engine/engine.h"
#include "metrics/metric.h"

/*
 * The peak if the user gave no number: from the data sheet for a type, if all GPUs are alike; else
 * the peak that tacho doctor measured on all nodes, of a GPU or of cores, which a node's ranks
 * share equally. The row names the source.
 */
static const char sheet_sql[] =
	"create temp table mfu_peak as select min(p.flops) as flops, p.type || ', dense, by the data sheet "
	"of ' || min(d.name) as rests from device d join device_peak p on p.device_id = d.id join "
	"environment e on e.run_id = 1 and e.scope = '' and e.key = '" PROPERTY_ARCHIVE_PEAK_FLOPS
	"_TYPE' and e.value = p.type where d.run_id = 1 group by p.type having min(p.flops) = "
	"max(p.flops) and count(*) = (select count(*) from device where run_id = 1) union all "
	"select sum(g.value) * 1e9 / r.nranks, 'measured by tacho doctor: matrix products of doubles, of "
	"each rank its part of the node' from run r join node n on n.run_id = 1 join environment g on "
	"g.run_id = 1 and g.scope = 'node:' || n.hostname and g.key = 'roof.gemm_gflops' where r.id = 1 "
	"and not exists (select 1 from device where run_id = 1) and not exists (select 1 from environment "
	"where run_id = 1 and scope = '' and key glob '" PROPERTY_ARCHIVE_PEAK_FLOPS
	"*') and exists "
	"(select 1 from environment where run_id = 1 and scope = '' and key in ('" PROPERTY_ARCHIVE_SAMPLE_FLOPS
	"', '" PROPERTY_ARCHIVE_STEP_FLOPS "')) and n.id in (select node_id "
	"from process where run_id = 1 and rank is not null) having count(*) = (select count(distinct "
	"node_id) from process where run_id = 1 and rank is not null) union all "
	"select avg(g.value) * 1e9, 'measured by tacho doctor: matrix products of bf16 on a GPU' from "
	"device d join node n on n.id = d.node_id join environment g on g.run_id = 1 and g.scope = "
	"'node:' || n.hostname and g.key = 'roof.gpu_gemm_gflops' where d.run_id = 1 and d.kind = 'gpu' "
	"and not exists (select 1 from environment where run_id = 1 and scope = '' and key glob "
	"'" PROPERTY_ARCHIVE_PEAK_FLOPS
	"*') and exists (select 1 from environment where run_id = 1 and "
	"scope = '' and key in ('" PROPERTY_ARCHIVE_SAMPLE_FLOPS "', '" PROPERTY_ARCHIVE_STEP_FLOPS
	"')) "
	"having count(*) = (select count(*) from device where run_id = 1)";

static const char taken_peak_sql[] =
	"insert or ignore into environment (run_id, scope, key, value) select 1, '', k.column1, case k.column2 when 0 then "
	"printf('%.15g', flops) else rests end from temp.mfu_peak join (values "
	"('" PROPERTY_ARCHIVE_PEAK_FLOPS "', 0), ('" PROPERTY_ARCHIVE_PEAK_FLOPS "_OF', 1)) k "
	"where flops > 0";

static const char given_sql[] =
	"create temp table mfu_given as select (select cast(value as real) from environment where "
	"run_id = 1 and scope = '' and key = '" PROPERTY_ARCHIVE_SAMPLE_FLOPS "') as a_sample, "
	"(select cast(value as real) from environment where run_id = 1 and scope = '' and key = "
	"'" PROPERTY_ARCHIVE_STEP_FLOPS
	"') as a_step, (select cast(value as real) from environment "
	"where run_id = 1 and scope = '' and key = '" PROPERTY_ARCHIVE_PEAK_FLOPS "') as peak, "
	"(select value from environment where run_id = 1 and scope = '' and key = "
	"'" PROPERTY_ARCHIVE_PEAK_FLOPS "_TYPE') as type, "
	"(select count(*) from device where run_id = 1) as gpus, "
	"(select nranks from run where id = 1) as ranks, "
	/* steps that were detected, not marked, belong to the captured part */
	"exists (select 1 from metric where run_id = 1 and model = 'quality' and name = 'captured') "
	"and exists (select 1 from step where run_id = 1 and confidence < 1) as in_part";

/* Peaks by the data sheet, where all GPUs are of one kind that it is known of. */
static const char offer_sql[] =
	"create temp table mfu_offer as select name || ', dense, by its data sheet: ' || "
	"group_concat(type || ' ' || printf('%g', flops / 1e12) || 'T', ', ') as offer from "
	"(select distinct d.name, p.type, p.flops from device d join device_peak p on p.device_id = "
	"d.id where d.run_id = 1 order by p.flops desc, p.type) where (select count(distinct name) "
	"from device where run_id = 1) = 1 group by name";

/*
 * Whole steps of each phase, and samples of all ranks, without phases that do not train. If the
 * user gave no FLOPs the query does not read the steps, which may be a million.
 */
static const char taken_sql[] =
	"create temp table mfu_taken as with each as (select f.name as phase, count(distinct case "
	"when s.cut = 0 then s.n end) as steps, sum(s.samples) as samples from temp.mfu_given g cross join "
	"step s left join phase f on f.id = s.phase_id where s.run_id = 1 and coalesce(g.peak, g.type, g.a_sample, "
	"g.a_step) is not null group by f.name union all "
	"select phase, max(steps), sum(samples) from (select f.name as phase, sum(r.steps) as steps, "
	"sum(r.samples) as samples from step_rest r left join phase f on f.id = r.phase_id "
	"where r.run_id = 1 group by f.name, r.process_id) group by phase) "
	"select phase, sum(steps) as steps, sum(samples) as samples from each where "
	"coalesce(phase, '') not like '%valid%' and coalesce(phase, '') not like '%test%' and "
	"coalesce(phase, '') not like '%eval%' group by phase";

/* The run lasts as long as its ranks: what children outlive them is no time for samples. */
static const char windows_sql[] =
	"create temp table mfu_window as with w as (select 'phase:' || phase as \"window\", steps, "
	"samples, (select sum(ns) from phase_all where run_id = 1 and name = phase) as ns "
	"from temp.mfu_taken where phase is not null union all select 'run', total(steps), "
	"sum(samples), coalesce((select max(end_ns) - min(start_ns) from process where run_id = 1 "
	"and rank is not null), (select duration_ns from run where id = 1)) from temp.mfu_taken) "
	"select w.\"window\", w.ns - coalesce(l.ns, 0) as ns, l.ns > 0 as lossy, coalesce(w.samples * "
	"g.a_sample, nullif(w.steps, 0) * g.a_step) as flops, w.steps, g.*, "
	"w.samples is null or g.a_sample is null as by_step, "
	"case when g.gpus > 0 then g.gpus else g.ranks end as units "
	"from w join temp.mfu_given g left join lost_time l on l.run_id = 1 and "
	"l.\"window\" = w.\"window\"";

static const char mfu_sql[] =
	"insert into metric (run_id, \"window\", model, name, subject, value, unit, flag) select 1, "
	"\"window\", case when gpus > 0 then 'device' else 'host' end, 'mfu', '', case when why is "
	"null then value end, '1', case when why is not null then why when value > 1 then "
	"'more than 1: too many FLOPs were given, or too low a peak' when lossy then '" METRIC_LOST_NOTE
	"' end from (select *, flops * 1e9 / (ns * peak * units) as value, case "
	"when coalesce(peak, 0) <= 0 and type is not null then 'no peak of ' || type || ' is known of "
	"these ' || case when gpus > 0 then 'GPUs' else 'processors' end || ': --peak-flops takes a "
	"number, too' when coalesce(peak, 0) <= 0 then 'the peak was not given: --peak-flops' || coalesce("
	"(select ' (' || offer || ')' from temp.mfu_offer), '') "
	"when coalesce(a_sample, a_step, 0) <= 0 then "
	"'no FLOPs were given: --flops-per-sample or --flops-per-step' "
	"when flops is null and steps > 0 then "
	"'the program reported no samples: --flops-per-step needs none' "
	"when flops is null then 'no steps are known' "
	"when by_step and in_part then 'steps are known of the captured part only' "
	"when coalesce(ns, 0) <= 0 or units = 0 then 'the window has no duration' end as why "
	"from temp.mfu_window) where coalesce(peak, type) is not null or a_sample is not null or a_step is not "
	"null";

void metric_mfu_write(struct engine *engine)
{
	const char *const all[] = { sheet_sql, taken_peak_sql, given_sql, offer_sql, taken_sql,
		windows_sql, mfu_sql, "drop table temp.mfu_peak", "drop table temp.mfu_given",
		"drop table temp.mfu_offer", "drop table temp.mfu_taken",
		"drop table temp.mfu_window" };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		db_put(&engine->tables.db, all[i], "");
}
