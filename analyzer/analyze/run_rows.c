/* run_rows.c - see run_rows.h. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/analyze.h"
#include "base/clock_now.h"
#include "engine/engine.h"
#include "advise/finding.h"
#include "tables/io_file.h"
#include "tables/copy.h"
#include "tables/kernel.h"
#include "tables/not_recorded.h"
#include "tables/location_row.h"
#include "tables/python_row.h"
#include "tables/gradient_row.h"
#include "tables/training_row.h"
#include "tables/socket_row.h"
#include "base/log.h"
#include "metrics/metric.h"
#include "analyze/run_rows.h"
#include "metrics/straggler.h"
#include "whatif/ladder.h"
#include "tables/hw_counters.h"
#include "tables/check_row.h"
#include "tables/environment.def"
#include "tables/node.def"
#include "tables/run.def"
#include "tables/unmatched.def"

static const char *archive_property(const struct engine *engine, const char *key)
{
	return property_find(&engine->tables.archive.properties, key);
}

/*
 * Epoch ns of time 0; 0 = not in the trace. tacho stores the epoch time of tick 0, OTF2 the one of
 * its offset.
 */
static int64_t start_ns(const struct engine *engine)
{
	const struct archive *archive = &engine->tables.archive;
	const char *recorded = archive_property(engine, PROPERTY_ARCHIVE_START);

	if (!recorded)
		return (int64_t)archive->realtime_ns;
	return strtoll(recorded, NULL, 10) +
		(int64_t)((__int128)archive->offset * 1000000000 / archive->resolution);
}

void run_rows_property(struct engine *engine, const char *scope, const char *key, const char *value)
{
	static const struct db_table table = DB_TABLE(environment, "insert or replace",
		ENVIRONMENT_COLUMNS);

	db_put_row(&engine->tables.db, &table, DB_ROW(ENVIRONMENT_COLUMNS));
}

static void environment_write(struct engine *engine, const char *scope,
	const in_properties *properties)
{
	size_t prefix = strlen(PROPERTY_ENV_PREFIX);

	for (size_t i = 0; i < properties->n; i++)
		if (strncmp(properties->at[i].key, PROPERTY_ENV_PREFIX, prefix) == 0)
			run_rows_property(engine, scope, properties->at[i].key + prefix,
				properties->at[i].value);
}

static void scoped_environment(struct engine *engine, const char *kind, const char *name,
	const in_properties *properties)
{
	char *scope;

	if (asprintf(&scope, "%s:%s", kind, name) < 0) {
		engine->tables.failed = true;
		return;
	}
	environment_write(engine, scope, properties);
	free(scope);
}

/* Properties of the whole archive, except those with a separate column. */
static void archive_environment(struct engine *engine)
{
	const in_properties *properties = &engine->tables.archive.properties;

	for (size_t i = 0; i < properties->n; i++)
		if (strcmp(properties->at[i].key, PROPERTY_ARCHIVE_UNMATCHED) != 0)
			run_rows_property(engine, "", properties->at[i].key,
				properties->at[i].value);
}

/* Which device counters as gpu.0.power are of: "gpu.0" with its UUID, as the table device has it. */
static void counted_device_write(struct engine *engine, const struct in_metric *metric,
	const struct in_metric_member *member)
{
	const char *dot = strrchr(member->name, '.'), *uuid = member->description;
	char *scope = NULL, *key = NULL;

	if (strncmp(member->name, "gpu.", 4) != 0 ||
		(strncmp(uuid, "GPU-", 4) != 0 && strncmp(uuid, "MIG-", 4) != 0))
		return;
	if (asprintf(&scope, "node:%s", engine->tables.archive.nodes.at[metric->node].name) < 0 ||
		asprintf(&key, "%.*s", (int)(dot - member->name), member->name) < 0)
		engine->tables.failed = true;
	else
		run_rows_property(engine, scope, key, uuid);
	free(scope);
	free(key);
}

static void counted_devices_write(struct engine *engine)
{
	const struct archive *archive = &engine->tables.archive;

	for (size_t i = 0; i < archive->metrics.n; i++) {
		const struct in_metric *metric = &archive->metrics.at[i];

		for (uint32_t k = 0; metric->node != IDMAP_NONE && k < metric->n; k++)
			if (metric->members[k] != IDMAP_NONE)
				counted_device_write(engine, metric,
					&archive->metric_members.at[metric->members[k]]);
	}
}

static const struct db_table node_table = DB_TABLE(node, "insert", NODE_COLUMNS);

static void nodes_write(struct engine *engine)
{
	for (size_t number = 0; number < engine->tables.model.nodes.n; number++) {
		const struct node *node = &engine->tables.model.nodes.at[number];
		const char *residual = property_find(node->properties, PROPERTY_CLOCK_RESIDUAL);

		db_put_row(&engine->tables.db, &node_table, DB_ROW(NODE_COLUMNS));
		scoped_environment(engine, "node", node->hostname, node->properties);
	}
}

/* Their rows are written at the end, with the final values. */
static void processes_begin(struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.processes.n; i++) {
		struct process *process = &engine->tables.model.processes.at[i];
		char rank[32];

		process->id = (int64_t)i + 1;
		snprintf(rank, sizeof(rank), "%" PRId64, process->rank);
		if (process->rank >= 0)
			scoped_environment(engine, "rank", rank, &process->group->properties);
	}
}

static bool is_truncated(const struct engine *engine)
{
	const char *truncated = archive_property(engine, PROPERTY_ARCHIVE_CUT);

	if (truncated)
		return strcmp(truncated, "1") == 0;
	for (size_t i = 0; i < engine->tables.model.processes.n; i++) {
		const char *end = property_find(
			&engine->tables.model.processes.at[i].group->properties, PROPERTY_END);

		if (end && strcmp(end, END_FINISHED) != 0)
			return true;
	}
	return false;
}

static const struct db_table run_table = DB_TABLE(run, "insert", RUN_COLUMNS);

void run_rows_begin(struct engine *engine, const char *label)
{
	const char *status = archive_property(engine, PROPERTY_ARCHIVE_STATUS);
	const struct archive *archive = &engine->tables.archive;
	const struct model *model = &engine->tables.model;
	const char *origin = archive_property(engine, PROPERTY_ARCHIVE_ORIGIN);
	char *path = realpath(origin && *origin ? origin : archive->path, NULL);
	int64_t start = start_ns(engine);

	db_put_row(&engine->tables.db, &run_table, DB_ROW(RUN_COLUMNS));
	free(path);
	archive_environment(engine);
	nodes_write(engine);
	processes_begin(engine);
	devices_write(engine);
	counted_devices_write(engine);
}

/* A number as OPTION_FLOPS has it; 0: it is none. */
static double flops_number(const char *text)
{
	static const char units[] = "KMGTPE";
	double number;
	const char *unit;
	char *end;

	number = strtod(text, &end);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		number *= pow(1000, (double)(unit - units + 1));
		end++;
	}
	return end == text || *end || !isfinite(number) || number < 0 ? 0 : number;
}

/* The value that the program gave by the marker `mark`; NULL: none, or different ones. */
static const char *flops_marked(const struct engine *engine, const char *mark)
{
	const struct archive *archive = &engine->tables.archive;
	const char *found = NULL;

	for (size_t i = 0; mark && i < archive->regions.n; i++) {
		const char *name = archive->regions.at[i].name;

		if (strncmp(name, mark, strlen(mark)) != 0)
			continue;
		if (found && strcmp(found, name) != 0) {
			log_warn("the program says %s and %s: none is taken", found, name);
			return NULL;
		}
		found = name;
	}
	return found ? found + strlen(mark) : NULL;
}

void run_rows_flops(struct engine *engine, const struct analyze_options *options)
{
	const struct {
		const char *key, *given, *mark;
	} all[] = { { PROPERTY_ARCHIVE_SAMPLE_FLOPS, options->flops_per_sample, MARK_SAMPLE_FLOPS },
		{ PROPERTY_ARCHIVE_STEP_FLOPS, options->flops_per_step, MARK_STEP_FLOPS },
		{ PROPERTY_ARCHIVE_PEAK_FLOPS, options->peak_flops, NULL } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *text = all[i].given && *all[i].given
			? all[i].given
			: archive_property(engine, all[i].key);
		char number[32];

		if (!text)
			text = flops_marked(engine, all[i].mark);
		if (!text)
			continue;
		snprintf(number, sizeof(number), "%.15g", flops_number(text));
		if (!all[i].mark && *text && !strchr("0123456789", *text)) /* a type */
			run_rows_property(engine, "", PROPERTY_ARCHIVE_PEAK_FLOPS "_TYPE", text);
		else
			run_rows_property(engine, "", all[i].key, number);
	}
}

/* Losses carry the location's process and name, so that equal names stay apart. */
static void losses_write(struct engine *engine, const struct location *location)
{
	const in_properties *properties = &location->in->properties;
	size_t prefix = strlen(PROPERTY_LOST_PREFIX);

	for (size_t i = 0; i < properties->n; i++) {
		const char *process = location->process == MODEL_NONE
			? ""
			: engine->tables.model.processes.at[location->process].group->name;
		char *subject;

		if (strncmp(properties->at[i].key, PROPERTY_LOST_PREFIX, prefix) != 0 ||
			asprintf(&subject, "%s%s%s", process, *process ? " " : "",
				location->in->name) < 0)
			continue;
		not_recorded_named(&engine->tables.db,
			(struct not_recorded){ .subject = subject,
				.process = location->process,
				.count = strtoll(properties->at[i].value, NULL, 10),
				.bytes = DB_NULL,
				.ns = DB_NULL },
			properties->at[i].key + prefix);
		free(subject);
	}
}

/* Processes that lived on, but in a snapshot, of which nothing else is expected. */
static void outlived_write(struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	if (archive_property(engine, PROPERTY_ARCHIVE_SNAPSHOT))
		return;
	for (uint32_t i = 0; i < model->processes.n; i++) {
		const struct in_group *group = model->processes.at[i].group;
		const char *end = property_find(&group->properties, PROPERTY_END);

		if (end && strcmp(end, END_RUNNING) == 0)
			not_recorded_put(&engine->tables.db,
				(struct not_recorded){ .subject = group->name,
					.process = i,
					.count = 1,
					.bytes = DB_NULL,
					.ns = DB_NULL },
				UNRECORDED_OUTLIVED);
	}
}

static void lives_write(struct engine *engine)
{
	size_t n = engine->tables.model.locations.n;
	struct location_life *lives = calloc(n + 1, sizeof(*lives));

	for (size_t i = 0; lives && i < n; i++) {
		const struct track *track = &engine->tracks[i];

		lives[i] = (struct location_life){ .first = track->first,
			.last = track->last,
			.any = track->any,
			.nevents = track->cursor.nread,
			.bytes_read = track->bytes_read,
			.damage = track->cursor.damage,
			.inside = track->inside,
			.inside_since = track->inside_since,
			.saved_steps = track->has_saved && !track->spent[HOST_LOST] &&
					!track->spent[HOST_SUMMED] && !track->spent[HOST_ABSENT]
				? track->saved_steps
				: -1 };
		memcpy(lives[i].spent, track->spent, sizeof(lives[i].spent));
	}
	if (lives)
		location_rows_write(&engine->tables, lives);
	else
		engine->tables.failed = true;
	free(lives);
}

static void locations_end(struct engine *engine)
{
	lives_write(engine);
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct location *location = &engine->tables.model.locations.at[i];
		const char *damage = engine->tracks[i].cursor.damage;

		losses_write(engine, location);
		if (damage)
			log_warn("location \"%s\" (%" PRIu64 ") is damaged: %s", location->in->name,
				location->in->ref, damage);
	}
}

static const struct db_table unmatched_table = DB_TABLE(unmatched, "insert", UNMATCHED_COLUMNS);

static void unmatched_write(struct engine *engine)
{
	const char *at = archive_property(engine, PROPERTY_ARCHIVE_UNMATCHED);
	int64_t n = 0;

	while (at && *at) {
		size_t len = strcspn(at, "\n");
		char *line = strndup(at, len);

		if (line && len)
			db_put_row(&engine->tables.db, &unmatched_table, DB_ROW(UNMATCHED_COLUMNS)),
				n++;
		free(line);
		at += len + (at[len] == '\n');
	}
}

static void checks_write(struct engine *engine)
{
	uint64_t damaged = 0, leaves = 0, impossible = 0;

	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		damaged += engine->tracks[i].cursor.damage != NULL;
		leaves += engine->tracks[i].unmatched_leaves;
		impossible += engine->tracks[i].nimpossible;
	}
	check_write(&engine->tables.db, "run", "locations_whole", damaged == 0,
		"%" PRIu64 " of %zu locations could not be read to "
		"their end: their ranks are truncated there",
		damaged, engine->tables.model.locations.n);
	check_write(&engine->tables.db, "run", "regions_nest", leaves == 0,
		"%" PRIu64 " regions are left without having been entered, "
		"or the other way round",
		leaves);
	if (impossible)
		check_write(&engine->tables.db, "run", "bytes_possible", false,
			"%" PRIu64 " messages, collectives or transfers report more bytes than a "
			"process can hold: they count as 0",
			impossible);
}

/* Figures remain valid without findings. */
static void findings_find(struct engine *engine)
{
	ladder_write(engine->tables.db.handle, 1); /* rules read it */
	findings_write(engine->tables.db.handle, 1);
}

/* The pictures of the run. */
static void pictures_write(struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		track_timeline_write(&engine->tracks[i]);
	timelines_write(&engine->timelines, &engine->tables);
}

/* That of a step. */
static void step_picture_write(struct engine *engine)
{
	size_t n = engine->tables.model.locations.n;
	const struct cursor **cursors = calloc(n + 1, sizeof(*cursors));

	for (size_t i = 0; cursors && i < n; i++)
		cursors[i] = &engine->tracks[i].cursor;
	if (cursors)
		timeline_step_write(&engine->tables,
			&(struct timeline_known){ .cursors = cursors,
				.handovers = engine->device.handovers,
				.uncaptured = metric_uncaptured_ns(engine, NULL) != 0 ||
					track_any_summed(engine) });
	else
		engine->tables.failed = true;
	free(cursors);
}

/* If a run can be read only in part, each figure gets this note. */
static void cut_write(struct engine *engine)
{
	const struct archive *archive = &engine->tables.archive;

	if (!archive->is_cut)
		return;
	db_put(&engine->tables.db,
		"update metric set flag = 'the archive is damaged: only the part that all ranks have"
		" is counted' where flag is null and value is not null",
		"");
	metric_put(engine, "run", METRIC_quality_read_until, (double)archive->latest_ns, NULL);
	window_rows_flush(&engine->tables.db, &engine->tables.metric_rows);
}

/* `given`: NULL to use the archive's. */
static void target_write(struct engine *engine, const char *given)
{
	if (given)
		run_rows_property(engine, "", PROPERTY_ARCHIVE_TARGET, given);
	else
		given = archive_property(engine, PROPERTY_ARCHIVE_TARGET);
	metric_target_write(engine, given);
}

void run_rows_end(struct engine *engine, const struct analyze_options *options)
{
	locations_end(engine);
	outlived_write(engine);
	pictures_write(engine);
	unmatched_write(engine);
	if (!engine->any)
		log_warn("%s holds no event: every figure is undefined",
			engine->tables.archive.path);
	windows_finish(engine);
	call_rows_finish(engine->tables.call_rows);
	metric_hybrid_write(engine);
	metric_quality_write(engine);
	metric_hw_write(engine);
	metric_rates_write(engine);
	kernels_write(&engine->tables);
	copies_write(&engine->tables);
	io_tables_sort(engine->tables.files, &engine->tables.model);
	io_files_write(&engine->tables.db, &engine->tables.model, engine->tables.files,
		windows_have_phases(&engine->windows));
	socket_rows_write(&engine->tables.db, &engine->tables.model, engine->tables.files);
	for (size_t i = 0; i < engine->tables.model.processes.n; i++) {
		message_pairs_write(&engine->tables.pairs[i], &engine->tables.db,
			&engine->tables.model, i);
		call_paths_write(&engine->tables.paths[i], &engine->tables.db,
			&engine->tables.model, i);
	}
	python_rows_write(&engine->tables);
	training_rows_write(&engine->tables);
	gradient_rows_write(&engine->tables);
	metric_counters_write(engine);
	metric_ledger_write(engine);
	metric_disturbance_write(engine);
	metric_account_write(engine);
	if (!engine->tables.summary) /* it knows no steps */
		stragglers_write(engine);
	metric_critical_path_write(engine);
	metric_mfu_write(engine);
	target_write(engine, options->target);
	metric_lacks_apply(engine);
	checks_write(engine);
	cut_write(engine);
	db_put(&engine->tables.db, "update run set duration_ns = ?, nevents = ?", "ii",
		engine->end - engine->start, (int64_t)engine->nevents);
	if (!engine->tables.db.failed)
		step_picture_write(engine);
	if (!engine->tables.db.failed)
		findings_find(engine);
}
