/* critical.c - see critical.h. */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "engine/common/critical.h"

static size_t path_state(const struct track *track, enum host_state state)
{
	if (state == HOST_LOST || state == HOST_SUMMED)
		return HOST_ABSENT;
	if (track->is_rank)
		return state;
	return state == HOST_USEFUL ? PATH_HELPER_USEFUL
		: state == HOST_IO  ? PATH_HELPER_IO
				    : state;
}

/* Time of a rank. A rank without an entry takes over the entry with the least time. */
static inline void share_put(struct path *path, uint32_t process, int64_t ns)
{
	int least = 0;

	for (int i = 0; i < PATH_RANKS; i++) {
		if (path->process[i] == process) {
			path->share[i] += ns;
			return;
		}
		if (path->share[i] < path->share[least])
			least = i;
	}
	path->process[least] = process;
	path->share[least] += ns;
}

/* Time of a thread's rank. */
static void share_add(struct path *path, const struct track *track, int64_t ns)
{
	const struct model *model = &track->engine->tables.model;
	uint32_t process = track->process;

	for (int depth = 0;
		depth < 8 && process != MODEL_NONE && model->processes.at[process].rank < 0 &&
		model->processes.at[process].parent != MODEL_NONE;
		depth++)
		process = model->processes.at[process].parent;
	share_put(path, process + 1, ns);
}

/* The path to t, by which a thread has spent so much. */
static inline void path_add(const struct track *track, const int64_t spent[HOST_STATE_COUNT],
	int64_t t, struct path *path)
{
	const struct path_track *own = &track->replay.path;
	int64_t first = track->first < t ? track->first : t,
		since = own->since > first ? own->since : first;

	*path = own->taken;
	for (int state = 0; state < HOST_STATE_COUNT; state++)
		path->state[path_state(track, state)] += spent[state];
	if (!path->origin) { /* it has taken over nothing yet */
		path->origin = track->location + 1;
		path->state[HOST_ABSENT] += first;
	}
	share_add(path, track, t - since);
}

void path_to(const struct track *track, int64_t t, struct path *path)
{
	int64_t spent[HOST_STATE_COUNT];

	track_spent(track, t, spent);
	path_add(track, spent, t, path);
}

/* --- where threads begin --- */

void path_begin(struct track *track)
{
	struct engine *engine = track->engine;
	const struct model *model = &engine->tables.model;
	const struct location *at = &model->locations.at[track->location];
	uint32_t process = track->process, main;
	struct path_births *births;
	size_t i;

	if (track->is_rank || process == MODEL_NONE || engine->tables.summary ||
		!engine->device.handovers || at->in->type != OTF2_LOCATION_TYPE_CPU_THREAD)
		return;
	if (at->is_main)
		process = model->processes.at[process].parent;
	main = process == MODEL_NONE ? MODEL_NONE : model->processes.at[process].main;
	if (main == MODEL_NONE || main == track->location)
		return;
	births = &engine->tracks[main].births;
	track->birth = calloc(1, sizeof(*track->birth));
	if (!track->birth || !ARRAY_ADD(&births->at)) {
		track_fail(track);
		return;
	}
	for (i = births->at.n - 1;
		i > 0 && engine->tracks[births->at.at[i - 1]].first > track->first; i--)
		births->at.at[i] = births->at.at[i - 1];
	births->at.at[i] = track->location;
	if (track->first < engine->tracks[main].border)
		engine->tracks[main].border = track->first;
}

/* The location that began as number i besides a main thread; NULL: none. */
static struct track *born(const struct track *track, size_t i)
{
	return i < track->births.at.n ? &track->engine->tracks[track->births.at.at[i]] : NULL;
}

int64_t path_measure(struct track *track, int64_t t)
{
	struct track *other;

	while ((other = born(track, track->births.nmeasured)) && other->first <= t) {
		if (other->first >= track->since) /* else before all that it did itself */
			track_spent(track, other->first, other->birth->spent);
		track->births.nmeasured++;
	}
	return other ? other->first : INT64_MAX;
}

/*
 * Keeps the path to the locations that began until t, before the thread takes over another path
 * there.
 */
static void births_place(struct track *track, int64_t t)
{
	struct path_births *births = &track->births;
	struct track *other;

	while ((other = born(track, births->nplaced)) && other->first <= t) {
		int64_t until = other->first < track->last ? other->first : track->last;

		if (births->nplaced >= births->nmeasured)
			track_spent(track, until, other->birth->spent);
		path_add(track, other->birth->spent, until, &other->birth->path);
		other->birth->path.state[HOST_ABSENT] += other->first - until;
		births->nplaced++;
	}
}

void births_clock(struct track *track, int64_t t)
{
	struct track *other;

	while ((other = born(track, track->births.nclocked)) && other->first < t) {
		other->birth->shift = track->replay.shift[SCENARIO_NETWORK] -
			network_gain(&track->engine->network, track->state,
				other->first - track->since);
		track->births.nclocked++;
	}
}

/* The main thread next to which a thread began. */
static struct track *parent_of(const struct track *track)
{
	const struct model *model = &track->engine->tables.model;
	uint32_t process = track->process;

	if (model->locations.at[track->location].is_main)
		process = model->processes.at[process].parent;
	return &track->engine->tracks[model->processes.at[process].main];
}

bool birth_wait(struct track *track)
{
	struct track *parent = parent_of(track);
	struct replay_track *replay = &track->replay;
	bool is_past = parent->cursor.ended ||
		(parent->any &&
			(parent->last > track->first ||
				(parent->last == track->first && !parent->replay.parked &&
					!parent->outer)));

	replay->held = replay->parked = !is_past && !replay->forced;
	if (replay->held) {
		replay->leave = track->first;
		if (!track_watch(parent, track, track->first))
			track_fail(track);
		return true;
	}
	replay->forced = replay->queued = false;
	births_clock(parent, track->first + 1);
	replay->shift[SCENARIO_NETWORK] += track->birth->shift;
	replay->entered.clock[SCENARIO_NETWORK] += track->birth->shift;
	return false;
}

void path_end(struct track *track)
{
	births_place(track, INT64_MAX);
}

void path_continue(const struct engine *engine, struct path *path, int64_t *wrong)
{
	while (path->origin) {
		const struct track *track = &engine->tracks[path->origin - 1];
		const struct path *before = track->birth ? &track->birth->path : NULL;
		int64_t least = INT64_MAX;

		/* a step back in time, or it could continue for ever */
		if (!before || !before->origin ||
			engine->tracks[before->origin - 1].first >= track->first)
			return;
		path->origin = before->origin;
		path->state[HOST_ABSENT] -= track->first;
		for (int i = 0; i < PATH_STATES; i++)
			path->state[i] += before->state[i];
		for (int i = 0; i < PATH_RANKS; i++) {
			least = before->share[i] < least ? before->share[i] : least;
			if (before->process[i])
				share_put(path, before->process[i], before->share[i]);
		}
		*wrong += least;
	}
}

/* --- taking over --- */

void path_take(struct track *track, const struct path *path, int64_t opened, int64_t t,
	enum host_state state)
{
	struct path_track *own = &track->replay.path;
	int64_t spent[HOST_STATE_COUNT];

	if (track->births.nplaced < track->births.at.n)
		births_place(track, t);
	own->taken = *path;
	own->since = t;
	own->blind.t = 0;
	own->taken.state[state] += t - opened;
	share_add(&own->taken, track, t - opened);
	track_spent(track, t, spent);
	for (int i = 0; i < HOST_STATE_COUNT; i++)
		own->taken.state[path_state(track, i)] -= spent[i];
}

void path_blind(struct track *track, int64_t entered, int64_t t)
{
	if (track->is_rank || t - entered < PATH_WAIT_LEAST)
		return;
	track->replay.path.blind.t = t;
	track_spent(track, t, track->replay.path.blind.spent);
}

void path_since(const struct track *track, int64_t t, struct path_since *since)
{
	const struct path_since *blind = &track->replay.path.blind;

	since->t = blind->t;
	if (!blind->t)
		return;
	track_spent(track, t, since->spent);
	for (int i = 0; i < HOST_STATE_COUNT; i++)
		since->spent[i] -= blind->spent[i];
}

void path_take_since(struct track *track, const struct track *by, const struct path_since *since,
	int64_t woken, int64_t t)
{
	const struct path_since blind = track->replay.path.blind;
	int64_t entered = track->replay.entered.t, start = since->t > entered ? since->t : entered,
		rest = woken - start;
	double part = (double)rest / (double)(woken - since->t);
	struct path path;

	path_to(track, start, &path);
	share_add(&path, by, rest);
	for (int i = 0; i < HOST_STATE_COUNT; i++) {
		int64_t ns = start == since->t ? since->spent[i]
					       : (int64_t)(part * (double)since->spent[i]);

		path.state[path_state(by, i)] += ns;
		rest -= ns;
	}
	path.state[path_state(by, HOST_USEFUL)] += rest;
	path_take(track, &path, woken, t, HOST_WAIT);
	track->replay.path.blind = blind; /* it is its own path still */
}
