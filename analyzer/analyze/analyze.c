/* analyze.c - see analyze_job.h: opens, reads all locations, writes the database. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyze/analyze_job.h"
#include "base/guard.h"
#include "tables/io_file.h"
#include "base/log.h"
#include "metrics/metric.h"
#include "model/comm_kernel.h"
#include "model/region.h"
#include "engine/engine.h"
#include "engine/read/schedule.h"
#include "parallel/split.h"
#include "analyze/roofs.h"
#include "analyze/run_rows.h"

/* The engine has the state of the floors below. */
struct analysis {
	struct engine engine;
	struct split split;
};

/* All of it in this process. */
static int read_all(struct engine *engine)
{
	struct schedule schedule;
	struct track *stuck;

	if (schedule_open(&schedule, engine) < 0)
		return -1;
	while (!engine->tables.failed) {
		log_progress("analyzing", schedule.done, schedule.total);
		if (schedule_run(&schedule))
			continue;
		if (!schedule.second_wave)
			schedule_rest(&schedule);
		else if ((stuck = schedule_stuck(&schedule)))
			schedule_force(&schedule, stuck);
		else
			break;
	}
	log_progress("analyzing", schedule.total, schedule.total);
	schedule_close(&schedule);
	return engine->tables.failed ? -1 : 0;
}

static void extent_set(struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		engine->nevents += track->cursor.nread;
		/* reading a counter is nothing that the program did */
		if (!track->any ||
			engine->tables.model.locations.at[i].in->type == OTF2_LOCATION_TYPE_METRIC)
			continue;
		if (!engine->any || track->first < engine->start)
			engine->start = track->first;
		if (!engine->any || track->last > engine->end)
			engine->end = track->last;
		engine->any = true;
	}
}

/* Processes outside of all attempts, such as a launcher, existed in all of them. */
static void own_extent_set(struct engine *engine)
{
	const struct model *model = &engine->tables.model;
	bool any = false;

	engine->own_start = engine->start;
	engine->own_end = engine->end;
	for (size_t i = 0; i < model->locations.n && model->has_attempts; i++) {
		const struct location *location = &model->locations.at[i];
		const struct track *track = &engine->tracks[i];

		if (!track->any || location->in->type == OTF2_LOCATION_TYPE_METRIC ||
			location->process == MODEL_NONE ||
			model->processes.at[location->process].attempt != model->attempt)
			continue;
		if (!any || track->first < engine->own_start)
			engine->own_start = track->first;
		if (!any || track->last > engine->own_end)
			engine->own_end = track->last;
		any = true;
	}
}

/* Threads of children do not count, nor of what else has no rank. */
static bool is_of_ranks(const struct model *model, const struct location *at)
{
	if (at->process != MODEL_NONE && model_is_other_attempt(model, at->process))
		return false;
	return at->in->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ||
		(at->in->type == OTF2_LOCATION_TYPE_CPU_THREAD && at->process != MODEL_NONE &&
			model->processes.at[at->process].rank >= 0);
}

static void rankless_set(struct engine *engine)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if (!track->any ||
			!is_of_ranks(&engine->tables.model, &engine->tables.model.locations.at[i]))
			continue;
		first = track->first < first ? track->first : first;
		last = track->last > last ? track->last : last;
	}
	if (first <= last && engine->tables.model.nranks)
		engine->rankless = engine->own_end - engine->own_start - (last - first);
}

static int prepare(struct engine *engine, const struct analyze_job *job)
{
	struct model *model = &engine->tables.model;

	if (archive_open(&engine->tables.archive, job->anchor, job->skipped, job->nskipped) < 0 ||
		model_build(model, &engine->tables.archive) < 0)
		return -1;
	if (job->is_cut)
		archive_cut(&engine->tables.archive, job->cut_ns);
	if (!model->locations.n) {
		log_error("%s has no locations: nothing was recorded", job->anchor);
		return -1;
	}
	if (regions_look(model) < 0)
		return -1;
	engine->tracks = calloc(model->locations.n + 1, sizeof(*engine->tracks));
	if (!engine->tracks) {
		log_error("out of memory for %zu locations", model->locations.n);
		return -1;
	}
	return tables_open(&engine->tables) < 0 ||
			timelines_open(&engine->timelines, &engine->tables) < 0 ||
			replay_open(engine) < 0 || device_replay_open(engine) < 0 ||
			split_begin(engine, job->alone ? -1 : job->options->jobs, job->relay) < 0
		? -1
		: 0;
}

static void release(struct engine *engine)
{
	struct model *model = &engine->tables.model;

	for (size_t i = 0; engine->tracks && i < model->locations.n; i++)
		track_close(&engine->tracks[i]);
	free(engine->tracks);
	timelines_close(&engine->timelines, &engine->tables);
	windows_free(&engine->windows);
	step_rests_free(&engine->step_rests);
	collective_rests_free(&engine->collective_rests);
	device_replay_close(engine);
	steps_forget(engine);
	replay_close(engine);
	tables_close(&engine->tables);
	db_close(&engine->tables.db);
	split_end(engine);
	model_free(model);
	archive_close(&engine->tables.archive);
}

static char *label_of(const char *run, const struct analyze_options *options,
	const struct archive *archive)
{
	const char *named = property_find(&archive->properties, PROPERTY_ARCHIVE_LABEL), *slash;
	char *path, *label;

	if (options->label || (named && *named))
		return strdup(options->label ? options->label : named);
	path = realpath(run, NULL);
	slash = path ? strrchr(path, '/') : NULL;
	if (slash && strcmp(slash, "/traces.otf2") == 0 &&
		slash != path) { /* a common archive name: the folder is more specific */
		path[slash - path] = '\0';
		slash = strrchr(path, '/');
	}
	label = strdup(slash && slash[1] ? slash + 1 : run);
	free(path);
	return label;
}

/* Prints the cost of a stage, if requested. */
static void stage_log(const char *stage)
{
	struct timespec now;
	struct rusage use;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	getrusage(RUSAGE_SELF, &use);
	log_debug("%s after %.3f s of processor time, %ld MB at most", stage,
		(double)now.tv_sec + (double)now.tv_nsec / 1e9, use.ru_maxrss / 1024);
}

static int events_take(struct engine *engine)
{
	if (engine->peers.n)
		return split_collect(engine);
	return archive_open_events(&engine->tables.archive) < 0 || steps_find(engine) < 0 ||
			eager_learn(engine) < 0
		? -1
		: read_all(engine);
}

/* Events were to be there, and none could be read: that is reported. */
static bool all_unreadable(const struct engine *engine)
{
	for (size_t i = 0; !engine->any && i < engine->tables.model.locations.n; i++)
		if (engine->tracks[i].cursor.damage) {
			log_error("cannot read any event of %s: their files are missing or damaged",
				engine->tables.archive.path);
			return true;
		}
	return false;
}

/*
 * A damaged location of a rank ends early, and after its end the other ranks appear alone: the
 * missing work counts as nothing, and its messages never arrived. So figures cover only the time
 * before, from a second reading. Returns true if one is needed.
 */
static bool cut_find(const struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	for (size_t i = 0; i < model->locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if (!track->any || !track->cursor.damage ||
			!is_of_ranks(model, &model->locations.at[i]))
			continue;
		if (!guard->cut || track->last < guard->cut_ns)
			guard->cut_ns = track->last;
		guard->cut = true;
	}
	return guard->cut;
}

static bool any_damaged(const struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		if (engine->tracks[i].cursor.damage)
			return true;
	return false;
}

/* A process that has a database. */
static int figures_write(struct engine *engine, const struct analyze_job *job)
{
	char *label;

	if (db_open(&engine->tables.db, job->database) < 0)
		return -1;
	engine->tables.call_rows = call_rows_open(&engine->tables.db, &engine->tables.model,
		engine->tables.calls);
	if (!engine->tables.call_rows)
		return -1;
	label = label_of(job->run, job->options, &engine->tables.archive);
	run_rows_begin(engine, label ? label : job->run);
	free(label);
	run_rows_flops(engine, job->options);
	if (job->options->roofs && roofs_write(engine, job->options->roofs) < 0)
		return -1;
	if (events_take(engine) < 0)
		return -1;
	stage_log("all events are read");
	extent_set(engine);
	if (all_unreadable(engine) || (!job->is_cut && cut_find(engine)))
		return -1;
	guard->stage = GUARD_FIGURES;
	own_extent_set(engine);
	rankless_set(engine);
	counters_finish(&engine->tables);
	if (!engine->peers.n)
		sweeps_finish(engine);
	replay_finish(engine);
	device_replay_finish(engine);
	collective_lines_end(engine);
	run_rows_end(engine, job->options);
	stage_log("all figures are written");
	guard->damaged = any_damaged(engine);
	return db_finish(&engine->tables.db, job->options->database != NULL);
}

/* What becomes of windows. */
static const struct sink figures = {
	.window = metric_window_write,
	.step = metric_step_write,
	.devices = metric_device_write,
	.devices_run = metric_device_run_write,
};

int analyze_archive(void *given)
{
	const struct analyze_job *job = given;
	const char *kernels = getenv("TACHO_KERNELS");
	struct analysis analysis = {
		.engine = { .launch_latency_ns = job->options->launch_latency_ns,
			.network = { .latency = job->options->network_latency,
				.transfer = job->options->network_transfer,
				.gain = job->options->processor_gain,
				.eager = job->options->network_eager },
			.sink = &figures,
			.peers = { .split = &analysis.split } },
	};
	int ret = -1;

	tables_init(&analysis.engine.tables);
	analysis.engine.tables.summary = job->options->summary;
	if ((!kernels || !*kernels || comm_kernels_read(kernels) == 0) &&
		prepare(&analysis.engine, job) == 0)
		ret = analysis.engine.peers.self  ? split_read(&analysis.engine)
			: analysis.split.is_idle  ? 0
			: analysis.split.oversees ? (guard_helpers_wait() ? 0 : -1)
						  : figures_write(&analysis.engine, job);
	if (!analysis.split.oversees && !analysis.split.is_idle)
		stage_log(analysis.engine.peers.self ? "a reader ends" : "all is done");
	if (analysis.engine.peers.self)
		guard_helper_end(ret);
	release(&analysis.engine);
	return ret;
}
