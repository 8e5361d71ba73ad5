/* schedule.c - see reading.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyze/analysis.h"
#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_records.h"
#include "engine/read/schedule.h"
#include "parallel/split.h"
#include "parallel/split_plan.h"

/*
 * Events of one location in a row: what all locations can be ahead of each other bounds what is in
 * flight.
 */
enum {
	SLICES = 1 << 20,
	SLICE_LEAST = 1 << 7,
	SLICE_MOST = 1 << 16,
	SLICE_OF_FAMILY = 1 << 9,
	TOGETHER = 256
};

/* Parts of the run, by one of which those whom other readers wait for may be ahead. */
enum { LEADS = 1 << 12 };

/* Events by which one goes ahead of the next. */
enum { AHEAD = 256 };

static bool is_before(const struct reading_entry *a, const struct reading_entry *b)
{
	return a->family != b->family ? a->family < b->family : a->t < b->t;
}

/* Whom other readers wait for goes first: what they wait for is there when they come to it. */
static int64_t lead_of(const struct reading *reading, uint32_t track)
{
	const struct analysis *analysis = reading->analysis;
	uint32_t process = analysis->tracks[track].process;

	return process != MODEL_NONE && analysis->replay.processes[process].is_border
		? reading->lead
		: 0;
}

static void heap_push(struct reading *reading, uint32_t track)
{
	struct reading_entry entry = { reading->analysis->tracks[track].any
			? reading->analysis->tracks[track].last - lead_of(reading, track)
			: INT64_MIN,
		track, reading->families ? reading->families[track] : 0 };
	size_t i = reading->n++;

	for (; i && is_before(&entry, &reading->at[(i - 1) / 2]); i = (i - 1) / 2)
		reading->at[i] = reading->at[(i - 1) / 2];
	reading->at[i] = entry;
}

static uint32_t heap_pop(struct reading *reading)
{
	uint32_t first = reading->at[0].track;
	struct reading_entry entry = reading->at[--reading->n];
	size_t i = 0, least;

	while ((least = 2 * i + 1) < reading->n) {
		least += least + 1 < reading->n &&
			is_before(&reading->at[least + 1], &reading->at[least]);
		if (!is_before(&reading->at[least], &entry))
			break;
		reading->at[i] = reading->at[least];
		i = least;
	}
	reading->at[i] = entry;
	return first;
}

void reading_wake(struct reading *reading)
{
	struct replay *replay = &reading->analysis->replay;

	for (size_t i = 0; i < replay->wakes.n; i++)
		heap_push(reading, replay->wakes.at[i]);
	replay->wakes.n = 0;
}

struct track *reading_stuck(const struct reading *reading)
{
	const struct analysis *analysis = reading->analysis;
	struct track *first = NULL;

	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		struct track *track = &analysis->tracks[i];

		if (track->replay.parked &&
			(!first || track->replay.leave < first->replay.leave ||
				(track->replay.leave == first->replay.leave &&
					nccl_present(track) > nccl_present(first))))
			first = track;
	}
	return first;
}

void reading_force(struct reading *reading, struct track *track)
{
	replay_force(track);
	heap_push(reading, track->location);
}

/*
 * Main threads: phases and communication are theirs. Other locations follow
 * when those are through, or stuck, as they may be waiting for a message of
 * one. Devices and hand-overs are between threads: with them all go together.
 */
static bool is_first_wave(const struct analysis *analysis, size_t location)
{
	const struct location *at = &analysis->model.locations.at[location];

	return analysis->options->summary || analysis->device.handovers
		? at->in->type != OTF2_LOCATION_TYPE_METRIC
		: at->is_main;
}

/* Changes whenever others might see the track elsewhere. */
static uint64_t progress_of(const struct track *track)
{
	const struct device_replay *device = &track->analysis->device;

	return (track->cursor.nread + tape_played(track)) * 16 + track->replay.parked * 8 +
		track->cursor.ended * 4 +
		(device->any ? device->streams[track->location].state : 0);
}

static int families_open(struct reading *reading)
{
	struct analysis *analysis = reading->analysis;
	size_t nprocesses = analysis->model.processes.n;

	reading->families = shard_plan_families(analysis);
	reading->left = calloc(nprocesses + 1, sizeof(*reading->left));
	reading->of_family = calloc(nprocesses + 1, sizeof(*reading->of_family));
	reading->next = calloc(analysis->model.locations.n + 1, sizeof(*reading->next));
	reading->slice = analysis->device.any ? SLICE_OF_FAMILY : SLICE_MOST;
	analysis->archive.together = TOGETHER;
	return reading->families && reading->left && reading->of_family && reading->next ? 0 : -1;
}

static void family_join(struct reading *reading, uint32_t location)
{
	uint32_t process = reading->analysis->model.locations.at[location].process;
	struct reading_family *family = &reading->of_family[reading->families[location]];

	if (process != MODEL_NONE)
		reading->left[process]++;
	reading->next[location] = family->left++ ? family->first : MODEL_NONE;
	family->first = location;
}

/* Nothing of the family is still to come: devices are through, and what led to that is not kept. */
static void family_end(struct reading *reading, const struct reading_family *family)
{
	struct analysis *analysis = reading->analysis;
	uint32_t i;

	for (i = family->first; i != MODEL_NONE; i = reading->next[i])
		if (analysis->model.locations.at[i].device != MODEL_NONE)
			sweep_finish(analysis, analysis->model.locations.at[i].device);
	for (i = family->first; i != MODEL_NONE; i = reading->next[i])
		device_replay_drop(analysis, i);
}

static void track_begin(struct reading *reading, uint32_t location)
{
	reading->nopen++;
	heap_push(reading, location);
}

int reading_open(struct reading *reading, struct analysis *analysis)
{
	size_t n = analysis->model.locations.n;

	*reading = (struct reading){ .analysis = analysis,
		.at = calloc(n + 1, sizeof(struct reading_entry)),
		.slice = SLICES / (n + 1) };
	if (getenv("TACHO_AHEAD"))
		reading->ahead_at_once = strtoul(getenv("TACHO_AHEAD"), NULL, 10);
	reading->slice = reading->slice < SLICE_LEAST ? SLICE_LEAST
		: reading->slice > SLICE_MOST	      ? SLICE_MOST
						      : reading->slice;
	if (!reading->at || (analysis->options->summary && families_open(reading) < 0)) {
		log_error("out of memory for %zu locations", n);
		return -1;
	}
	reading->lead = (int64_t)((double)analysis->archive.length * 1e9 /
		(double)analysis->archive.resolution / LEADS);
	for (size_t i = 0; i < n; i++) {
		if (!shard_reads(&analysis->shard, i))
			continue;
		track_open(&analysis->tracks[i], analysis, i);
		if (reading->families)
			family_join(reading, i);
		reading->total += analysis->tracks[i].cursor.limit;
		if (is_first_wave(analysis, i))
			track_begin(reading, i);
	}
	return 0;
}

void reading_close(struct reading *reading)
{
	log_debug("%" PRIu64 " turns of locations, %" PRIu64 " for nothing", reading->nturns,
		reading->nidle);
	if (reading->nahead)
		log_debug("%" PRIu64 " of %" PRIu64
			  " events were read while others were waited for",
			reading->nahead, reading->done);
	free(reading->at);
	free(reading->families);
	free(reading->left);
	free(reading->of_family);
	free(reading->next);
}

void reading_rest(struct reading *reading)
{
	const struct analysis *analysis = reading->analysis;

	reading->second_wave = true;
	for (size_t i = 0; i < analysis->model.locations.n; i++)
		if (shard_reads(&analysis->shard, i) && !is_first_wave(analysis, i))
			track_begin(reading, i);
}

/* A location is over. What nobody will ask for any more is written, not kept. */
static void location_end(struct reading *reading, struct track *track)
{
	struct analysis *analysis = reading->analysis;

	track_finish(track);
	reading->nopen--;
	if (!reading->families)
		return;
	if (!analysis->shard.n)
		timeline_write(track);
	if (track->process != MODEL_NONE && --reading->left[track->process] == 0 &&
		!analysis->shard.n)
		call_rows_write(analysis->call_rows, track->process);
	if (--reading->of_family[reading->families[track->location]].left == 0 &&
		analysis->device.any)
		family_end(reading, &reading->of_family[reading->families[track->location]]);
}

/*
 * With thousands of locations nothing of a track lies in a cache when its turn comes. Those that
 * are next are fetched while another is read, and of the first what its pointers lead to.
 */
static void fetch_ahead(const struct reading *reading)
{
	enum { NEXT = 3 }; /* the first of the heap and those behind it */
	const struct analysis *analysis = reading->analysis;

	for (size_t i = 0; i < NEXT && i < reading->n; i++)
		cache_fetch(&analysis->tracks[reading->at[i].track], sizeof(struct track));
	if (reading->n) {
		const struct track *track = &analysis->tracks[reading->at[0].track];

		records_fetch(track->cursor.records);
		cache_fetch(track->replay.needs.at, sizeof(struct need));
		if (track->process != MODEL_NONE)
			cache_fetch(analysis->calls[track->process].by_region, CACHE_LINE);
	}
}

static bool go_ahead(struct reading *reading, struct track *track, uint32_t n,
	bool (*news)(void *user), void *user)
{
	uint64_t before = track->cursor.nread, limit = track->cursor.limit;
	bool gone = track_ahead(track, n, news, user);

	reading->nahead += track->cursor.nread - before;
	reading->done += track->cursor.nread - before;
	reading->total += track->cursor.limit - limit;
	return gone;
}

bool reading_ahead(struct reading *reading, bool (*news)(void *user), void *user)
{
	struct analysis *analysis = reading->analysis;
	uint32_t n = (uint32_t)analysis->model.locations.n;

	for (uint32_t i = 0; i < n && !reading->ahead_full; i++) {
		struct track *track = &analysis->tracks[reading->ahead];

		reading->ahead = (reading->ahead + 1) % n;
		if (shard_reads(&analysis->shard, track->location) &&
			go_ahead(reading, track, AHEAD, news, user))
			return true;
	}
	reading->ahead_full = true;
	return false;
}

bool reading_run(struct reading *reading)
{
	struct analysis *analysis = reading->analysis;
	struct track *track;
	uint64_t before;
	bool moved;

	if (!reading->n)
		return false;
	track = &analysis->tracks[heap_pop(reading)];
	track->replay.queued = false;
	reading->ahead_full = false;
	fetch_ahead(reading);
	reading->done -= track->cursor.nread;
	reading->total -= track->cursor.limit; /* its file may tell another number */
	before = progress_of(track);
	track_run(track, track->any || !analysis->device.handovers ? reading->slice : 1);
	reading->done += track->cursor.nread;
	reading->total += track->cursor.limit;
	if (reading->ahead_at_once && track->replay.parked)
		go_ahead(reading, track, 1 + (uint32_t)(reading->done % reading->ahead_at_once),
			NULL, NULL);
	guard->done = reading->done;
	moved = progress_of(track) != before || track->cursor.ended;
	reading->nturns++;
	reading->nidle += !moved;
	/* else those that look at each other would go on for ever */
	if (progress_of(track) != before)
		replay_progress(track);
	reading_wake(reading);
	if (!track->cursor.ended && !track->replay.parked)
		heap_push(reading, track->location);
	else if (track->cursor.ended && !track->replay.parked)
		location_end(reading, track);
	if (analysis->device.any && moved)
		sweep_progress(track);
	return true;
}
