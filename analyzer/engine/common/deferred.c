/* deferred.c - see deferred.h: the queue. What is reported is played by ../read/report.c. */
#include "config.h"

#include "engine/common/deferred_queue.h"
#include "otf2/otf2_records.h"

/* Entries that are fetched before they are played. */
enum { NEXT = 4 };

/*
 * The attributes that the replay and windows inspect, and how many of them an event has. Those from
 * KEPT_ALONE on are of steps that were summed, and have ATTRIBUTE_SAMPLES with them.
 */
static const enum trace_attribute kept[] = { ATTRIBUTE_SEQ, ATTRIBUTE_NEIGHBOURS, ATTRIBUTE_COMM,
	ATTRIBUTE_PEER, ATTRIBUTE_TAG, ATTRIBUTE_STEP, ATTRIBUTE_SAMPLES, ATTRIBUTE_SYNC,
	ATTRIBUTE_PARTNER, ATTRIBUTE_MESSAGE, ATTRIBUTE_CALLS, ATTRIBUTE_TOTAL, ATTRIBUTE_SHORTEST,
	ATTRIBUTE_LONGEST };

enum { KEPT = sizeof(kept) / sizeof(kept[0]), KEPT_ALONE = 10 };

void view_get(const struct track *track, struct deferred_view *view)
{
	view->last = track->last;
	view->ended = track->cursor.ended;
	view->state = track->state;
	view->since = track->since;
	view->sleeps = track->sleeps;
	view->slept = track->slept;
	view->part = track->part;
	view->part_since = track->part_since;
	memcpy(view->parts, track->parts, sizeof(view->parts));
	memcpy(view->spent, track->spent, sizeof(view->spent));
	memcpy(view->summed, track->summed, sizeof(view->summed));
	memcpy(view->stepped, track->stepped, sizeof(view->stepped));
}

void view_set(struct track *track, const struct deferred_view *view)
{
	track->last = view->last;
	track->cursor.ended = view->ended;
	track->state = view->state;
	track->since = view->since;
	track->sleeps = view->sleeps;
	track->slept = view->slept;
	track->part = view->part;
	track->part_since = view->part_since;
	memcpy(track->parts, view->parts, sizeof(track->parts));
	memcpy(track->spent, view->spent, sizeof(track->spent));
	memcpy(track->summed, view->summed, sizeof(track->summed));
	memcpy(track->stepped, view->stepped, sizeof(track->stepped));
}

bool deferred_is_whole(const struct track *track, const struct replay_input *input)
{
	const OTF2_AttributeRef *attributes = track->engine->tables.model.attributes;
	uint64_t bits = 0;

	if (input->kind == INPUT_EVENT || input->kind == INPUT_FILE)
		return true;
	if (!input->event || !input->event->carried)
		return false;
	for (size_t i = 0; i < KEPT_ALONE; i++)
		bits |= event_bit(attributes[kept[i]]);
	return input->event->carried & bits;
}

/*
 * Numbers written just now, stored one by one: compilers copy two at a time otherwise, and that
 * load waits until both stores are in the cache.
 */
static inline uint32_t just_written_32(const uint32_t *number)
{
	return *(const volatile uint32_t *)number;
}

static inline uint64_t just_written(const uint64_t *number)
{
	return *(const volatile uint64_t *)number;
}

bool deferred_event_keep(const struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->engine->tables.model.attributes;
	struct deferred_event *keep = reel_add(&track->deferred->events, sizeof(*keep));

	if (!keep)
		return false;
	keep->kind = (unsigned char)event->kind;
	keep->peer = just_written_32(&event->peer);
	keep->tag = just_written_32(&event->tag);
	keep->ref = just_written(&event->ref);
	keep->request = just_written(&event->request);
	keep->bytes = just_written(&event->bytes);
	keep->received = just_written(&event->received);
	keep->carried = just_written(&event->carried);
	keep->nown = 0;
	for (size_t i = 0; event->carried && i < KEPT && keep->nown < KEPT_MOST; i++)
		if (event_number(event, attributes[kept[i]], &keep->values[keep->nown]))
			keep->own[keep->nown++] = (unsigned char)kept[i];
	return true;
}

void deferred_change(struct track *track, enum host_state state, int64_t t)
{
	struct deferred_change *change = reel_add(&track->deferred->changes, sizeof(*change));

	if (!change)
		return track_fail(track);
	change->t = t;
	change->state = state;
	change->sleeps = track->sleeps;
	change->is_sum = change->is_step = false;
	change->part = (unsigned char)track->part;
	track->deferred->nchanges++;
}

void deferred_sum(struct track *track, enum host_state state, int64_t ns)
{
	struct deferred_change *change = reel_add(&track->deferred->changes, sizeof(*change));

	if (!change)
		return track_fail(track);
	*change = (struct deferred_change){ .t = ns, .state = state, .is_sum = true };
	track->deferred->nchanges++;
}

void deferred_step(struct track *track, int part, int64_t ns)
{
	struct deferred_change *change = reel_add(&track->deferred->changes, sizeof(*change));

	if (!change)
		return track_fail(track);
	*change = (struct deferred_change){ .t = ns, .is_step = true, .part = (unsigned char)part };
	track->deferred->nchanges++;
}

/*
 * The event of the next entry that counts as a whole. Set field by field: compilers turn an
 * assignment of the whole struct into a slow instruction.
 */
void deferred_event_restore(const struct track *track, int64_t t, struct event *event,
	struct in_value *own)
{
	const struct reel *events = &track->deferred->events;
	const struct deferred_event *from = reel_at(events, events->nplayed,
		sizeof(struct deferred_event));

	event->kind = (enum event_kind)from->kind;
	event->peer = from->peer;
	event->tag = from->tag;
	event->t = t;
	event->ref = from->ref;
	event->request = from->request;
	event->bytes = from->bytes;
	event->received = from->received;
	event->carried = from->carried;
	event->attributes = NULL;
	event->own = own;
	event->nown = from->nown;
	event->types = NULL;
	event->values = NULL;
	for (size_t i = 0; i < from->nown; i++)
		own[i] = (struct in_value){ track->engine->tables.model.attributes[from->own[i]],
			OTF2_TYPE_UINT64, { .uint64 = from->values[i] } };
}

void deferred_rewind(struct deferred *deferred)
{
	deferred->nplayed += deferred->entries.nplayed;
	deferred->entries.nwritten = deferred->entries.nplayed = 0;
	deferred->events.nwritten = deferred->events.nplayed = 0;
	deferred->changes.nwritten = deferred->changes.nplayed = 0;
	deferred->nchanges = 0;
}

/* The next `n` that are played. */
static void reel_fetch(const struct reel *reel, size_t n, size_t each)
{
	if (reel->nplayed < reel->nwritten)
		cache_fetch(reel_at(reel, reel->nplayed, each), n * each);
}

void deferred_fetch(const struct deferred *deferred)
{
	reel_fetch(&deferred->entries, NEXT, sizeof(struct deferred_entry));
	reel_fetch(&deferred->events, NEXT / 2, sizeof(struct deferred_event));
	reel_fetch(&deferred->changes, NEXT / 2, sizeof(struct deferred_change));
}

uint64_t deferred_played(const struct track *track)
{
	return track->deferred ? track->deferred->nplayed + track->deferred->entries.nplayed : 0;
}

uint64_t deferred_nread(const struct track *track)
{
	const struct deferred *deferred = track->deferred;

	if (!track->is_ahead)
		return track->cursor.nread;
	if (deferred->nread)
		return deferred->nread;
	/* parked: at the entry that is to be played again */
	return deferred->entries.nplayed < deferred->entries.nwritten ? entry_next(deferred)->nread
								      : deferred->place.n;
}

void deferred_place(const struct track *track, struct in_place *place)
{
	if (track->is_ahead) {
		*place = track->deferred->place;
		return;
	}
	*place = (struct in_place){ .n = track->cursor.nread };
	records_place(track->cursor.records, place);
}

void deferred_free(struct track *track)
{
	if (track->deferred) {
		free(track->deferred->entries.at);
		free(track->deferred->events.at);
		free(track->deferred->changes.at);
	}
	free(track->deferred);
	track->deferred = NULL;
}
