/* read_ahead.c - reads on in a parked track, as far as its queue has room; see ../common/deferred.h. */
#include "config.h"

#include "engine/common/deferred_queue.h"
#include "otf2/otf2_records.h"

/*
 * Entries of all locations together, with events and changes 3 MB. While a reader is
 * without its core, for a writer that has rows or for whatever else runs, all that wait for it live on their
 * deferred events, some ms.
 */
enum { TAPES = 1 << 15 };

/* The part of the queue's length. */
enum { FEW = 8 };

/* Devices inspect threads at all times. */
static bool deferred_begin(struct track *track)
{
	struct engine *engine = track->engine;
	struct deferred_view parked;

	if (!track->replay.parked || track->replay.held || engine->device.any ||
		!track->cursor.records || track->cursor.ended)
		return false;
	if (!track->deferred && !(track->deferred = calloc(1, sizeof(*track->deferred))))
		return false;
	track->deferred->place = (struct in_place){ .n = track->cursor.nread };
	records_place(track->cursor.records, &track->deferred->place);
	view_get(track, &parked);
	track->is_ahead = true;
	track_resume(track);
	if (engine->tables.failed)
		return false;
	view_get(track, &track->deferred->ahead);
	view_set(track, &parked);
	return true;
}

/* Entries that still fit; few count as none, as each going ahead takes a while. */
static uint32_t deferred_room(const struct track *track)
{
	const struct reel *entries = &track->deferred->entries;
	size_t most = TAPES / (track->engine->tables.model.locations.n + 1),
	       held = entries->nwritten - entries->nplayed;

	most = most < TAPE_LEAST ? TAPE_LEAST : most;
	return held + most / FEW < most ? (uint32_t)(most - held) : 0;
}

bool track_ahead(struct track *track, uint32_t n, bool (*news)(void *user), void *user)
{
	struct deferred_view replayed;
	uint32_t room;

	if ((!track->is_ahead && !deferred_begin(track)) || track->deferred->ahead.ended ||
		!(room = deferred_room(track)))
		return false;
	view_get(track, &replayed);
	view_set(track, &track->deferred->ahead);
	cursor_run_until(&track->cursor, n < room ? n : room, news, user);
	view_get(track, &track->deferred->ahead);
	view_set(track, &replayed);
	return true;
}
