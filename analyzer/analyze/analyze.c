/* analyze.c - see analyze_job.h: opens, reads all locations, writes the database. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyze/analysis.h"
#include "analyze/analyze_job.h"
#include "base/guard.h"
#include "tables/io_file.h"
#include "base/log.h"
#include "metrics/metric.h"
#include "engine/read/schedule.h"
#include "analyze/run_rows.h"

/* All of it in this process. */
static int read_all(struct analysis *analysis)
{
	struct schedule schedule;
	struct track *stuck;

	if (schedule_open(&schedule, analysis) < 0)
		return -1;
	while (!analysis->tables.failed) {
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
	return analysis->tables.failed ? -1 : 0;
}

static void extent_set(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->tables.model.locations.n; i++) {
		const struct track *track = &analysis->tracks[i];

		analysis->nevents += track->cursor.nread;
		/* reading a counter is nothing that the program did */
		if (!track->any ||
			analysis->tables.model.locations.at[i].in->type ==
				OTF2_LOCATION_TYPE_METRIC)
			continue;
		if (!analysis->any || track->first < analysis->start)
			analysis->start = track->first;
		if (!analysis->any || track->last > analysis->end)
			analysis->end = track->last;
		analysis->any = true;
	}
}

/* Threads of children do not count, nor of what else has no rank. */
static bool is_of_ranks(const struct model *model, const struct location *at)
{
	return at->in->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ||
		(at->in->type == OTF2_LOCATION_TYPE_CPU_THREAD && at->process != MODEL_NONE &&
			model->processes.at[at->process].rank >= 0);
}

static void rankless_set(struct analysis *analysis)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < analysis->tables.model.locations.n; i++) {
		const struct track *track = &analysis->tracks[i];

		if (!track->any ||
			!is_of_ranks(&analysis->tables.model,
				&analysis->tables.model.locations.at[i]))
			continue;
		first = track->first < first ? track->first : first;
		last = track->last > last ? track->last : last;
	}
	if (first <= last && analysis->tables.model.nranks)
		analysis->rankless = analysis->end - analysis->start - (last - first);
}

static int prepare(struct analysis *analysis, const struct analyze_job *job)
{
	struct model *model = &analysis->tables.model;

	if (archive_open(&analysis->tables.archive, job->anchor, job->skipped, job->nskipped) < 0 ||
		model_build(model, &analysis->tables.archive) < 0)
		return -1;
	if (!model->locations.n) {
		log_error("%s has no locations: nothing was recorded", job->anchor);
		return -1;
	}
	analysis->tracks = calloc(model->locations.n + 1, sizeof(*analysis->tracks));
	if (!analysis->tracks) {
		log_error("out of memory for %zu locations", model->locations.n);
		return -1;
	}
	return tables_open(&analysis->tables) < 0 ||
			timelines_open(&analysis->timelines, &analysis->tables) < 0 ||
			replay_open(analysis) < 0 || device_replay_open(analysis) < 0 ||
			split_begin(analysis, job->options->jobs, job->relay) < 0
		? -1
		: 0;
}

static void release(struct analysis *analysis)
{
	struct model *model = &analysis->tables.model;

	for (size_t i = 0; analysis->tracks && i < model->locations.n; i++)
		track_close(&analysis->tracks[i]);
	free(analysis->tracks);
	timelines_close(&analysis->timelines, &analysis->tables);
	windows_free(&analysis->windows);
	step_rests_free(&analysis->step_rests);
	collective_rests_free(&analysis->collective_rests);
	device_replay_close(analysis);
	steps_forget(analysis);
	replay_close(analysis);
	tables_close(&analysis->tables);
	db_close(&analysis->tables.db);
	split_end(analysis);
	model_free(model);
	archive_close(&analysis->tables.archive);
}

static char *label_of(const char *run, const struct analyze_options *options,
	const struct archive *archive)
{
	const char *told = property_find(&archive->properties, PROPERTY_ARCHIVE_LABEL), *slash;
	char *path, *label;

	if (options->label || (told && *told))
		return strdup(options->label ? options->label : told);
	path = realpath(run, NULL);
	slash = path ? strrchr(path, '/') : NULL;
	if (slash && strcmp(slash, "/traces.otf2") == 0 &&
		slash != path) { /* every archive's name: its folder says more */
		path[slash - path] = '\0';
		slash = strrchr(path, '/');
	}
	label = strdup(slash && slash[1] ? slash + 1 : run);
	free(path);
	return label;
}

/* What the stages cost, for those who ask. */
static void stage_tell(const char *stage)
{
	struct timespec now;
	struct rusage use;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	getrusage(RUSAGE_SELF, &use);
	log_debug("%s after %.3f s of processor time, %ld MB at most", stage,
		(double)now.tv_sec + (double)now.tv_nsec / 1e9, use.ru_maxrss / 1024);
}

static int events_take(struct analysis *analysis)
{
	if (analysis->peers.n)
		return split_collect(analysis);
	return archive_open_events(&analysis->tables.archive) < 0 || steps_find(analysis) < 0
		? -1
		: read_all(analysis);
}

/* A process that has a database. */
static int figures_write(struct analysis *analysis, const struct analyze_job *job)
{
	char *label;

	if (db_open(&analysis->tables.db, job->database) < 0)
		return -1;
	analysis->tables.call_rows = call_rows_open(&analysis->tables.db, &analysis->tables.model,
		analysis->tables.calls);
	if (!analysis->tables.call_rows)
		return -1;
	label = label_of(job->run, job->options, &analysis->tables.archive);
	run_rows_begin(analysis, label ? label : job->run);
	free(label);
	if (events_take(analysis) < 0)
		return -1;
	stage_tell("all events are read");
	guard->stage = GUARD_FIGURES;
	extent_set(analysis);
	rankless_set(analysis);
	counters_finish(&analysis->tables);
	if (!analysis->peers.n)
		sweeps_finish(analysis);
	replay_finish(analysis);
	device_replay_finish(analysis);
	collective_lines_end(analysis);
	run_rows_end(analysis);
	stage_tell("all figures are written");
	return db_finish(&analysis->tables.db, job->options->database != NULL);
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
	struct analysis analysis = {
		.options = job->options,
		.launch_latency_ns = job->options->launch_latency_ns,
		.sink = &figures,
	};
	int ret = -1;

	tables_init(&analysis.tables);
	analysis.tables.summary = job->options->summary;
	if (prepare(&analysis, job) == 0)
		ret = analysis.peers.self	  ? split_read(&analysis)
			: analysis.split.is_idle  ? 0
			: analysis.split.oversees ? (guard_helpers_wait() ? 0 : -1)
						  : figures_write(&analysis, job);
	if (!analysis.split.oversees && !analysis.split.is_idle)
		stage_tell(analysis.peers.self ? "a reader ends" : "all is done");
	if (analysis.peers.self)
		guard_helper_end(ret);
	release(&analysis);
	return ret;
}
