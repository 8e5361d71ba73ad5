/* analyze.c - see analyze_job.h: opens, reads all locations, writes the database. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis.h"
#include "analyze_job.h"
#include "guard.h"
#include "io_file.h"
#include "log.h"
#include "metric.h"
#include "result.h"

enum { SLICE = 1 << 16 }; /* events of one location in a row: bounds what is in flight */

/* Locations that can go on, the one that is furthest behind first. */
struct queue { uint32_t *at; size_t n; const struct track *tracks; };

static int64_t queue_time(const struct queue *queue, size_t i)
{
	return queue->tracks[queue->at[i]].last;
}

static void queue_swap(struct queue *queue, size_t a, size_t b)
{
	uint32_t kept = queue->at[a];

	queue->at[a] = queue->at[b];
	queue->at[b] = kept;
}

static void queue_push(struct queue *queue, uint32_t track)
{
	size_t i = queue->n++;

	for (queue->at[i] = track; i && queue_time(queue, i) < queue_time(queue, (i - 1) / 2);
		i = (i - 1) / 2)
		queue_swap(queue, i, (i - 1) / 2);
}

static uint32_t queue_pop(struct queue *queue)
{
	uint32_t first = queue->at[0];

	queue->at[0] = queue->at[--queue->n];
	for (size_t i = 0;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < queue->n; child++)
			if (queue_time(queue, child) < queue_time(queue, least))
				least = child;
		if (least == i)
			return first;
		queue_swap(queue, i, least);
		i = least;
	}
}

static void wakes_take(struct analysis *analysis, struct queue *queue)
{
	for (size_t i = 0; i < analysis->replay.wakes.n; i++)
		queue_push(queue, analysis->replay.wakes.at[i]);
	analysis->replay.wakes.n = 0;
}

/* Nobody can go on: the parked track whose call ends first has to, without what it waits for. */
static bool force_one(struct analysis *analysis, struct queue *queue)
{
	struct track *first = NULL;

	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		struct track *track = &analysis->tracks[i];

		if (track->replay.parked && (!first || track->replay.leave < first->replay.leave ||
				(track->replay.leave == first->replay.leave && nccl_present(track) > nccl_present(first))))
			first = track;
	}
	if (!first)
		return false;
	replay_force(first);
	queue_push(queue, first->location);
	return true;
}

/* Devices are between threads: with them all go together. */
static bool is_first_wave(const struct analysis *analysis, size_t location)
{
	const struct location *at = &analysis->model.locations.at[location];

	return analysis->device.any ? at->in->type != OTF2_LOCATION_TYPE_METRIC : at->is_main;
}

/* Changes whenever others might see the track elsewhere. */
static uint64_t progress_of(const struct track *track)
{
	const struct device_replay *device = &track->analysis->device;

	return track->cursor.nread * 16 + track->replay.parked * 8 + track->cursor.ended * 4 +
		(device->any ? device->streams[track->location].state : 0);
}

/*
 * Main threads first: phases and communication are theirs. Other locations
 * follow when those are through, or stuck, as they may be waiting for a message of one.
 */
static int read_all(struct analysis *analysis)
{
	size_t n = analysis->model.locations.n;
	struct queue queue = { .at = calloc(n + 1, sizeof(uint32_t)), .tracks = analysis->tracks };
	bool second_wave = false;
	uint64_t done = 0, total = 0;

	if (!queue.at) {
		log_error("out of memory for %zu locations", n);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		track_open(&analysis->tracks[i], analysis, i);
		total += analysis->tracks[i].cursor.limit;
		if (is_first_wave(analysis, i))
			queue_push(&queue, i);
	}
	while (!analysis->failed) {
		struct track *track;
		uint64_t before;

		if (!queue.n && !second_wave) {
			second_wave = true;
			for (size_t i = 0; i < n; i++)
				if (!is_first_wave(analysis, i))
					queue_push(&queue, i);
		}
		if (!queue.n && !force_one(analysis, &queue))
			break;
		track = &analysis->tracks[queue_pop(&queue)];
		track->replay.queued = false;
		done -= track->cursor.nread;
		before = progress_of(track);
		track_run(track, SLICE);
		done += track->cursor.nread;
		if (progress_of(track) != before)	/* else those that look at each other would go on for ever */
			replay_progress(track);
		wakes_take(analysis, &queue);
		if (!track->cursor.ended && !track->replay.parked)
			queue_push(&queue, track->location);
		else if (track->cursor.ended && !track->replay.parked)
			track_finish(track);
		if (analysis->device.any)
			sweep_progress(track);
		log_progress("analyzing", done, total);
	}
	log_progress("analyzing", total, total);
	free(queue.at);
	return analysis->failed ? -1 : 0;
}

static void extent_set(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		const struct track *track = &analysis->tracks[i];

		analysis->nevents += track->cursor.nread;
		/* reading a counter is nothing that the program did */
		if (!track->any ||
			analysis->model.locations.at[i].in->type == OTF2_LOCATION_TYPE_METRIC)
			continue;
		if (!analysis->any || track->first < analysis->start)
			analysis->start = track->first;
		if (!analysis->any || track->last > analysis->end)
			analysis->end = track->last;
		analysis->any = true;
	}
}

static int prepare(struct analysis *analysis, const struct analyze_job *job)
{
	struct model *model = &analysis->model;

	if (archive_open(&analysis->archive, job->anchor, job->skipped, job->nskipped) < 0 ||
		model_build(model, &analysis->archive) < 0)
		return -1;
	if (!model->locations.n) {
		log_error("%s has no locations: nothing was recorded", job->anchor);
		return -1;
	}
	if (archive_open_events(&analysis->archive) < 0)
		return -1;
	analysis->tracks = calloc(model->locations.n + 1, sizeof(*analysis->tracks));
	analysis->rates = calloc(model->nodes.n + 1, sizeof(*analysis->rates));
	analysis->calls = calloc(model->processes.n + 1, sizeof(*analysis->calls));
	analysis->files = calloc(model->processes.n + 1, sizeof(*analysis->files));
	if (!analysis->tracks || !analysis->rates || !analysis->calls || !analysis->files) {
		log_error("out of memory for %zu locations", model->locations.n);
		return -1;
	}
	return timelines_open(analysis) < 0 || counters_open(analysis) < 0 || replay_open(analysis) < 0 ||
			device_replay_open(analysis) < 0 ||
			db_open(&analysis->db, job->database) < 0 ?
		-1 :
		0;
}

static void release(struct analysis *analysis)
{
	struct model *model = &analysis->model;

	for (size_t i = 0; analysis->tracks && i < model->locations.n; i++)
		track_close(&analysis->tracks[i]);
	free(analysis->tracks);
	for (size_t i = 0; analysis->rates && i < model->nodes.n; i++)
		rates_free(&analysis->rates[i]);
	free(analysis->rates);
	counters_close(analysis);
	calls_free(analysis->calls, model);
	io_files_free(analysis->files, model);
	timelines_close(analysis);
	windows_free(&analysis->windows);
	device_replay_close(analysis);
	steps_forget(analysis);
	replay_close(analysis);
	db_close(&analysis->db);
	model_free(model);
	archive_close(&analysis->archive);
}

static char *label_of(
	const char *run, const struct analyze_options *options, const struct archive *archive)
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

int analyze_archive(void *given)
{
	const struct analyze_job *job = given;
	struct analysis analysis = { .options = job->options };
	char *label = NULL;
	int ret = -1;

	if (prepare(&analysis, job) < 0)
		goto out;
	label = label_of(job->run, job->options, &analysis.archive);
	result_begin(&analysis, label ? label : job->run);
	if (steps_find(&analysis) < 0 || read_all(&analysis) < 0)
		goto out;
	guard->stage = GUARD_FIGURES;
	extent_set(&analysis);
	counters_finish(&analysis);
	sweeps_finish(&analysis);
	replay_finish(&analysis);
	device_replay_finish(&analysis);
	result_end(&analysis);
	ret = db_finish(&analysis.db, job->options->database != NULL);
out:
	release(&analysis);
	free(label);
	return ret;
}
