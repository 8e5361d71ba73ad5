/*
 * replay_late.c - operations that another thread completes than the one that posted them; see
 * replay.h. Threads of a process are not read in the order of their calls: the completing thread
 * may come by before the post. This is detected at the end of the call that completes the
 * operation.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"

/* Which of the attributes are kept of an event without a record. */
static const enum trace_attribute kept[] = { ATTRIBUTE_SEQ, ATTRIBUTE_NEIGHBOURS };

enum { KEPT = sizeof(kept) / sizeof(*kept) };

struct late_event {
	struct event event;
	struct in_value own[KEPT];
};

static const struct replay_process *process_of(const struct track *track)
{
	return &track->engine->replay.processes[track->process];
}

static bool is_posted(const struct track *track, uint64_t request)
{
	return idmap_find(&process_of(track)->requests, idmap_key(request)) != IDMAP_NONE;
}

/* A thread of the same process that may still do something before t. */
static bool is_behind(const struct track *track, size_t number, int64_t t)
{
	const struct location *at = &track->engine->tables.model.locations.at[number];
	const struct track *other = &track->engine->tracks[number];

	return other != track && at->process == track->process &&
		at->in->type == OTF2_LOCATION_TYPE_CPU_THREAD &&
		(!other->cursor.ended || other->replay.parked) && (!other->any || other->last < t);
}

static bool any_behind(const struct track *track, int64_t t)
{
	const struct replay_process *process = process_of(track);

	for (uint32_t i = process->first_thread; i < process->end_thread; i++)
		if (is_behind(track, i, t))
			return true;
	return false;
}

/* Each of them may be the one that posts it, and may itself wait for the purpose of the post. */
static bool all_watch(struct track *track, int64_t t)
{
	const struct replay_process *process = process_of(track);

	for (uint32_t i = process->first_thread; i < process->end_thread; i++) {
		struct track *other = &track->engine->tracks[i];
		size_t n = other->replay.watchers.n;

		if (!is_behind(track, i, t) ||
			(n && other->replay.watchers.at[n - 1].track == track->location))
			continue;
		if (!track_watch(other, track, INT64_MIN))
			return false;
	}
	return true;
}

bool late_add(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->engine->tables.model.attributes;
	struct late_event *late;
	uint64_t number;

	if (!track->replay.call || process_of(track)->nthreads < 2 ||
		is_posted(track, event->request) || !any_behind(track, event->t))
		return false;
	late = ARRAY_ADD(&track->replay.lates);
	if (!late) {
		track_fail(track);
		return true;
	}
	late->event = *event;
	late->event.attributes = NULL;
	late->event.own = NULL;
	late->event.nown = 0;
	late->event.carried = 0;
	for (int i = 0; i < KEPT; i++) {
		if (!event_number(event, attributes[kept[i]], &number))
			continue;
		late->own[late->event.nown++] = (struct in_value){ attributes[kept[i]],
			OTF2_TYPE_UINT64, { .uint64 = number } };
		late->event.carried |= event_bit(attributes[kept[i]]);
	}
	return true;
}

bool lates_settle(struct track *track, int64_t t)
{
	struct replay_track *replay = &track->replay;

	if (!replay->lates.n)
		return true;
	while (replay->nsettled < replay->lates.n) {
		struct late_event *late = &replay->lates.at[replay->nsettled];

		if (!replay->forced && !is_posted(track, late->event.request) &&
			any_behind(track, late->event.t)) {
			if (!all_watch(track, late->event.t))
				track_fail(track);
			replay->parked = true;
			replay->leave = t;
			return false;
		}
		late->event.own = late->own; /* the array may have been moved */
		replay->nsettled++;
		replay_operation(track, &late->event, &replay->entered);
	}
	replay->lates.n = replay->nsettled = 0;
	replay_progress(track); /* it has reported all, and may stay parked */
	return true;
}
