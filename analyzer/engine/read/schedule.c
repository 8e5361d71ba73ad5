/* schedule.c - see schedule.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_records.h"
#include "engine/read/schedule.h"
#include "model/family.h"

/*
 * Events of one location in a row: how far locations can be ahead of each other bounds the events
 * in flight.
 */
enum {
	SLICES = 1 << 20,
	SLICE_LEAST = 1 << 7,
	SLICE_MOST = 1 << 16,
	SLICE_OF_FAMILY = 1 << 9,
	TOGETHER = 256
};

/* Parts of the run: locations that other readers wait for may be ahead by one. */
enum { LEADS = 1 << 12 };

/* Events by which one goes ahead of the next. */
enum { AHEAD = 256 };

/* Events in a row at most where turns are by chance. */
enum { SHUFFLED_SLICE = 16 };

static bool is_before(const struct schedule_entry *a, const struct schedule_entry *b)
{
	return a->family != b->family ? a->family < b->family : a->t < b->t;
}

/* Locations that other readers wait for are read first, so that their events are known in time. */
static int64_t lead_of(const struct schedule *schedule, uint32_t track)
{
	const struct engine *engine = schedule->engine;
	uint32_t process = engine->tracks[track].process;

	return process != MODEL_NONE && engine->replay.processes[process].is_border ? schedule->lead
										    : 0;
}

/* No figure may depend on the order: tests take the next one by chance. */
static uint64_t shuffle_next(struct schedule *schedule)
{
	schedule->shuffle ^= schedule->shuffle << 13;
	schedule->shuffle ^= schedule->shuffle >> 7;
	return schedule->shuffle ^= schedule->shuffle << 17;
}

/* When its turn is. All have their first event before any has its second. */
static int64_t turn_of(struct schedule *schedule, uint32_t number)
{
	const struct track *track = &schedule->engine->tracks[number];

	if (!track->any)
		return INT64_MIN;
	return schedule->shuffle ? (int64_t)(shuffle_next(schedule) >> 1)
				 : track->last - lead_of(schedule, number);
}

static void heap_push(struct schedule *schedule, uint32_t track)
{
	struct schedule_entry entry = { turn_of(schedule, track), track,
		schedule->families ? schedule->families[track] : 0 };
	size_t i = schedule->n++;

	for (; i && is_before(&entry, &schedule->at[(i - 1) / 2]); i = (i - 1) / 2)
		schedule->at[i] = schedule->at[(i - 1) / 2];
	schedule->at[i] = entry;
}

static uint32_t heap_pop(struct schedule *schedule)
{
	uint32_t first = schedule->at[0].track;
	struct schedule_entry entry = schedule->at[--schedule->n];
	size_t i = 0, least;

	while ((least = 2 * i + 1) < schedule->n) {
		least += least + 1 < schedule->n &&
			is_before(&schedule->at[least + 1], &schedule->at[least]);
		if (!is_before(&schedule->at[least], &entry))
			break;
		schedule->at[i] = schedule->at[least];
		i = least;
	}
	schedule->at[i] = entry;
	return first;
}

void schedule_wake(struct schedule *schedule)
{
	struct replay *replay = &schedule->engine->replay;

	for (size_t i = 0; i < replay->wakes.n; i++)
		heap_push(schedule, replay->wakes.at[i]);
	replay->wakes.n = 0;
}

struct track *schedule_stuck(const struct schedule *schedule)
{
	const struct engine *engine = schedule->engine;
	struct track *first = NULL;

	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		struct track *track = &engine->tracks[i];

		if (track->replay.parked &&
			(!first || track->replay.leave < first->replay.leave ||
				(track->replay.leave == first->replay.leave &&
					nccl_present(track) > nccl_present(first))))
			first = track;
	}
	return first;
}

void schedule_force(struct schedule *schedule, struct track *track)
{
	replay_force(track);
	heap_push(schedule, track->location);
}

/*
 * Main threads: phases and communication are theirs. Other locations follow
 * when those are through, or stuck, as they may be waiting for a message of
 * one. Devices and hand-overs are between threads: with them all go together.
 */
static bool is_first_wave(const struct engine *engine, size_t location)
{
	const struct location *at = &engine->tables.model.locations.at[location];

	return engine->tables.summary || engine->device.handovers
		? at->in->type != OTF2_LOCATION_TYPE_METRIC
		: at->is_main;
}

/* Changes whenever others might see the track elsewhere. */
static uint64_t progress_of(const struct track *track)
{
	const struct device_replay *device = &track->engine->device;

	return (track->cursor.nread + deferred_played(track)) * 16 + track->replay.parked * 8 +
		track->cursor.ended * 4 +
		(device->any ? device->streams[track->location].state : 0);
}

static int families_open(struct schedule *schedule)
{
	struct engine *engine = schedule->engine;
	size_t nprocesses = engine->tables.model.processes.n;

	schedule->families = families_of(&engine->tables.model);
	schedule->left = calloc(nprocesses + 1, sizeof(*schedule->left));
	schedule->of_family = calloc(nprocesses + 1, sizeof(*schedule->of_family));
	schedule->next = calloc(engine->tables.model.locations.n + 1, sizeof(*schedule->next));
	schedule->slice = engine->device.any ? SLICE_OF_FAMILY : SLICE_MOST;
	engine->tables.archive.together = TOGETHER;
	return schedule->families && schedule->left && schedule->of_family && schedule->next ? 0
											     : -1;
}

static void family_join(struct schedule *schedule, uint32_t location)
{
	uint32_t process = schedule->engine->tables.model.locations.at[location].process;
	struct schedule_family *family = &schedule->of_family[schedule->families[location]];

	if (process != MODEL_NONE)
		schedule->left[process]++;
	schedule->next[location] = family->left++ ? family->first : MODEL_NONE;
	family->first = location;
}

/* Nothing of the family is still to come: devices are through, and what led to that is not kept. */
static void family_end(struct schedule *schedule, const struct schedule_family *family)
{
	struct engine *engine = schedule->engine;
	uint32_t i;

	for (i = family->first; i != MODEL_NONE; i = schedule->next[i])
		if (engine->tables.model.locations.at[i].device != MODEL_NONE)
			sweep_finish(engine, engine->tables.model.locations.at[i].device);
	for (i = family->first; i != MODEL_NONE; i = schedule->next[i])
		device_replay_drop(engine, i);
}

static void track_begin(struct schedule *schedule, uint32_t location)
{
	schedule->nopen++;
	heap_push(schedule, location);
}

int schedule_open(struct schedule *schedule, struct engine *engine)
{
	size_t n = engine->tables.model.locations.n;

	*schedule = (struct schedule){ .engine = engine,
		.at = calloc(n + 1, sizeof(struct schedule_entry)),
		.slice = SLICES / (n + 1) };
	if (getenv("TACHO_AHEAD"))
		schedule->ahead_at_once = strtoul(getenv("TACHO_AHEAD"), NULL, 10);
	if (getenv("TACHO_SHUFFLE"))
		schedule->shuffle = hash_mix(strtoul(getenv("TACHO_SHUFFLE"), NULL, 10), 1) | 1;
	schedule->slice = schedule->slice < SLICE_LEAST ? SLICE_LEAST
		: schedule->slice > SLICE_MOST		? SLICE_MOST
							: schedule->slice;
	if (!schedule->at || (engine->tables.summary && families_open(schedule) < 0)) {
		log_error("out of memory for %zu locations", n);
		return -1;
	}
	schedule->lead = (int64_t)((double)engine->tables.archive.length * 1e9 /
		(double)engine->tables.archive.resolution / LEADS);
	for (size_t i = 0; i < n; i++) {
		if (!peers_reads_here(&engine->peers, i))
			continue;
		track_open(&engine->tracks[i], engine, i);
		if (schedule->families)
			family_join(schedule, i);
		schedule->total += engine->tracks[i].cursor.limit;
		if (is_first_wave(engine, i))
			track_begin(schedule, i);
	}
	return 0;
}

void schedule_close(struct schedule *schedule)
{
	log_debug("%" PRIu64 " turns of locations, %" PRIu64 " for nothing", schedule->nturns,
		schedule->nidle);
	if (schedule->nahead)
		log_debug("%" PRIu64 " of %" PRIu64
			  " events were read while others were waited for",
			schedule->nahead, schedule->done);
	free(schedule->at);
	free(schedule->families);
	free(schedule->left);
	free(schedule->of_family);
	free(schedule->next);
}

void schedule_rest(struct schedule *schedule)
{
	const struct engine *engine = schedule->engine;

	schedule->second_wave = true;
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		if (peers_reads_here(&engine->peers, i) && !is_first_wave(engine, i))
			track_begin(schedule, i);
}

/* A location is over. Writes its data instead of keeping them, as no reader will ask for them. */
static void location_end(struct schedule *schedule, struct track *track)
{
	struct engine *engine = schedule->engine;

	track_finish(track);
	schedule->nopen--;
	if (!schedule->families)
		return;
	if (!engine->peers.n)
		track_timeline_write(track);
	if (track->process != MODEL_NONE && --schedule->left[track->process] == 0 &&
		!engine->peers.n)
		call_rows_write(engine->tables.call_rows, track->process);
	if (--schedule->of_family[schedule->families[track->location]].left == 0 &&
		engine->device.any)
		family_end(schedule, &schedule->of_family[schedule->families[track->location]]);
}

/*
 * With thousands of locations nothing of a track is in a cache when its turn comes. Those that
 * are next are fetched while another is read, and of the first what its pointers lead to.
 */
static void fetch_ahead(const struct schedule *schedule)
{
	enum { NEXT = 3 }; /* the first of the heap and those after it */
	const struct engine *engine = schedule->engine;

	for (size_t i = 0; i < NEXT && i < schedule->n; i++)
		cache_fetch(&engine->tracks[schedule->at[i].track], sizeof(struct track));
	if (schedule->n) {
		const struct track *track = &engine->tracks[schedule->at[0].track];

		records_fetch(track->cursor.records);
		cache_fetch(track->replay.needs.at, sizeof(struct need));
		if (track->process != MODEL_NONE)
			cache_fetch(engine->tables.calls[track->process].by_region, CACHE_LINE);
	}
}

static bool go_ahead(struct schedule *schedule, struct track *track, uint32_t n,
	bool (*news)(void *user), void *user)
{
	uint64_t before = track->cursor.nread, limit = track->cursor.limit;
	bool gone = track_ahead(track, n, news, user);

	schedule->nahead += track->cursor.nread - before;
	schedule->done += track->cursor.nread - before;
	schedule->total += track->cursor.limit - limit;
	return gone;
}

bool schedule_ahead(struct schedule *schedule, bool (*news)(void *user), void *user)
{
	struct engine *engine = schedule->engine;
	uint32_t n = (uint32_t)engine->tables.model.locations.n;

	for (uint32_t i = 0; i < n && !schedule->ahead_full; i++) {
		struct track *track = &engine->tracks[schedule->ahead];

		schedule->ahead = (schedule->ahead + 1) % n;
		if (peers_reads_here(&engine->peers, track->location) &&
			go_ahead(schedule, track, AHEAD, news, user))
			return true;
	}
	schedule->ahead_full = true;
	return false;
}

bool schedule_run(struct schedule *schedule)
{
	struct engine *engine = schedule->engine;
	struct track *track;
	uint64_t before;
	bool moved, begins;

	if (!schedule->n)
		return false;
	track = &engine->tracks[heap_pop(schedule)];
	track->replay.queued = false;
	schedule->ahead_full = false;
	fetch_ahead(schedule);
	schedule->done -= track->cursor.nread;
	schedule->total -= track->cursor.limit; /* its file may state another number */
	before = progress_of(track);
	begins = !track->any;
	track_run(track,
		!track->any && engine->device.handovers ? 1
			: schedule->shuffle ? 1 + shuffle_next(schedule) % SHUFFLED_SLICE
					    : schedule->slice);
	if (begins && track->birth && !track->cursor.ended)
		birth_wait(track);
	schedule->done += track->cursor.nread;
	schedule->total += track->cursor.limit;
	if (schedule->ahead_at_once && track->replay.parked)
		go_ahead(schedule, track, 1 + (uint32_t)(schedule->done % schedule->ahead_at_once),
			NULL, NULL);
	guard->done = schedule->done;
	moved = progress_of(track) != before || track->cursor.ended;
	schedule->nturns++;
	schedule->nidle += !moved;
	/* else two tracks that inspect each other would continue for ever */
	if (progress_of(track) != before)
		replay_progress(track);
	schedule_wake(schedule);
	if (!track->cursor.ended && !track->replay.parked)
		heap_push(schedule, track->location);
	else if (track->cursor.ended && !track->replay.parked)
		location_end(schedule, track);
	if (engine->device.any && moved)
		sweep_progress(track);
	return true;
}
