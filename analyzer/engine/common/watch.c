/* watch.c - waits among tracks: parking, waking, and which track is behind; see watch.h. */
#include "config.h"

#include "engine/engine.h"

void replay_wake(struct engine *engine, uint32_t number)
{
	struct replay_track *track = &engine->tracks[number].replay;
	uint32_t *wake;

	if (!track->parked || track->queued)
		return;
	wake = ARRAY_ADD(&engine->replay.wakes);
	if (!wake) {
		engine->tables.failed = true;
		return;
	}
	*wake = number;
	track->queued = true;
}

void replay_force(struct track *track)
{
	track->replay.forced = true;
	track->replay.queued = true;
}

bool track_watch(struct track *slow, const struct track *waiting, int64_t t)
{
	struct watcher *at = ARRAY_ADD(&slow->replay.watchers);

	if (!at)
		slow->engine->tables.failed = true;
	else
		*at = (struct watcher){ waiting->location, t };
	return at;
}

struct track *threads_behind(const struct track *self, const struct device_process *process,
	int64_t t, bool past)
{
	for (size_t i = 0; i < process->threads.n; i++) {
		struct track *track = &self->engine->tracks[process->threads.at[i]];
		bool both_wait;

		if (track == self || (track->cursor.ended && !track->replay.parked) ||
			(track->any && track->last > t))
			continue;
		/* two waits that end together do not end each other */
		both_wait = track->replay.parked && track->replay.waits && self->replay.waits;
		if (track->any && track->last == t && (!past || both_wait))
			continue;
		return track;
	}
	return NULL;
}

bool track_any_summed(const struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		if (engine->tracks[i].spent[HOST_SUMMED])
			return true;
	return false;
}

bool track_any_lost(const struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		if (engine->tracks[i].is_lost || engine->tracks[i].spent[HOST_LOST])
			return true;
	return false;
}
