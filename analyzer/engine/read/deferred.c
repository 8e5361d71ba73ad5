/* deferred.c - see deferred.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "otf2/otf2_records.h"
#include "engine/read/deferred.h"

/*
 * Entries of all locations together, with events and changes 3 MB; of one. While a reader is
 * without its core, for a writer that has rows or for whatever else runs, all that wait for it live on their
 * deferred events, some ms.
 */
enum { TAPES = 1 << 15, TAPE_LEAST = 1 << 3 };

/* Of the queue's length: that part of it. */
enum { FEW = 8 };

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

enum { KEPT = sizeof(kept) / sizeof(kept[0]), KEPT_ALONE = 10, KEPT_MOST = 5 };

/* What others see of a track, and what the replay asks of it. */
struct deferred_view {
	int64_t last;
	bool ended;
	/* which state it is in, since when, and the time in each one before */
	enum host_state state;
	int64_t since, spent[HOST_STATE_COUNT], summed[HOST_STATE_COUNT], stepped[STEP_SUMS];
	bool sleeps;
	int64_t slept;
	enum training part;
	int64_t part_since, parts[TRAINING_COUNT];
};

/* The track came into another state, or part of a training; or calls in the state, or in the
 * part of a step, took `t` in sum. */
struct deferred_change {
	int64_t t;
	enum host_state state;
	bool sleeps, is_sum, is_step;
	unsigned char part; /* enum training; is_step: of STEP_SUMS */
};

/* What was reported, and the track as it was then: of the event nearly always its time is enough. */
struct deferred_entry {
	unsigned char kind, call; /* enum replay_input_kind, region_kind */
	bool wakes, process_wide, reads, truncated, forced;
	bool whole;	   /* the event is the next one of those that are kept */
	uint32_t nchanges; /* of state since the entry before, not yet played */
	union {
		const struct region *region;
		int64_t step;
	};
	uint64_t nread;
	int64_t last;
};

/* A deferred event in full, attributes as numbers. */
struct deferred_event {
	uint64_t ref, request, bytes, received, carried;
	uint32_t peer, tag;
	unsigned char kind, nown, own[KEPT_MOST]; /* enum event_kind, trace_attribute */
	uint64_t values[KEPT_MOST];
};

/* A queue in a ring, whose size is a power of two. */
struct reel {
	char *at;
	uint64_t nwritten, nplayed;
	size_t size;
};

struct deferred {
	struct reel entries, events, changes;
	uint32_t nchanges;	    /* changes since the last entry */
	struct deferred_view ahead; /* the track where its events are read */
	struct in_place place;	    /* at its first entry, or before */
	uint64_t nplayed;	    /* entries of before it was empty last */
	uint64_t nread;		    /* of the entry that is being played; 0: none is */
};

/* --- reporting --- */

static void call_enter(struct track *track, const struct replay_input *input)
{
	replay_enter(track, input->event->t, input->region);
	if (!kind_communicates(input->call))
		return;
	replay_number(track, input->event);
	if (input->region->ungated || input->region->polls)
		replay_probe(track, input->event);
}

/* `settled` is of no use: without devices no clock stands still in a state. */
static bool call_leave(struct track *track, const struct replay_input *input)
{
	bool settled;

	if (input->forced)
		replay_force(track);
	if (!outer_leave(track, input->call, input->t, &settled))
		return false;
	track->replay.forced = track->replay.queued = false;
	return true;
}

static void wait_enter(struct track *track, const struct replay_input *input)
{
	replay_moment(track, input->t, &track->replay.entered.moment);
	track->replay.times_out = input->region->times_out;
}

/* A part of the run begins or ends: what polls wait for until then belongs to the one before. */
static void window_take(struct track *track, const struct replay_input *input)
{
	track->replay.polls.open = false;
	switch (input->kind) {
	case INPUT_WINDOW_ENTER: window_enter(track, input->region, input->event); break;
	case INPUT_WINDOW_LEAVE: window_leave(track, input->event, input->truncated); break;
	case INPUT_FOUND_ENTER: window_found_enter(track, input->t, input->step); break;
	case INPUT_FOUND_LEAVE: window_found_leave(track, input->t); break;
	case INPUT_ACTIVE_ENTER: window_active_enter(track, input->t, input->step); break;
	case INPUT_ACTIVE_LEAVE: window_active_leave(track, input->t); break;
	default: break;
	}
}

static bool input_take(struct track *track, const struct replay_input *input)
{
	switch (input->kind) {
	case INPUT_ENTER: call_enter(track, input); break;
	case INPUT_WAIT: wait_enter(track, input); break;
	case INPUT_LEAVE: return call_leave(track, input);
	case INPUT_EVENT: replay_event(track, input->event); break;
	case INPUT_FILE: replay_file(track, input->event); break;
	case INPUT_SYNC: handover_enter(track, input); break;
	case INPUT_SOCKET: socket_enter(track, input); break;
	default: window_take(track, input);
	}
	return true;
}

/* --- the queue of deferred events --- */

static void view_get(const struct track *track, struct deferred_view *view)
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

static void view_set(struct track *track, const struct deferred_view *view)
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

static inline void *reel_at(const struct reel *reel, uint64_t number, size_t each)
{
	return reel->at + (number & (reel->size - 1)) * each;
}

/* Room for the next one of `each` bytes; NULL without memory. */
static inline void *reel_add(struct reel *reel, size_t each)
{
	struct reel grown = *reel;

	if (reel->nwritten - reel->nplayed == reel->size) {
		grown.size = reel->size ? 2 * reel->size : 2 * TAPE_LEAST;
		grown.at = malloc(grown.size * each);
		if (!grown.at)
			return NULL;
		for (uint64_t i = reel->nplayed; i < reel->nwritten; i++)
			memcpy(reel_at(&grown, i, each), reel_at(reel, i, each), each);
		free(reel->at);
		*reel = grown;
	}
	return reel_at(reel, reel->nwritten++, each);
}

/* The one that is played next. */
static inline struct deferred_entry *entry_next(const struct deferred *deferred)
{
	return reel_at(&deferred->entries, deferred->entries.nplayed,
		sizeof(struct deferred_entry));
}

/* Of others nobody asks for more than attributes. */
static bool is_whole(const struct track *track, const struct replay_input *input)
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
 * Numbers that were written just now, each by itself: compilers copy two at a time otherwise, and
 * that waits until both are in the cache.
 */
static inline uint32_t just_written_32(const uint32_t *number)
{
	return *(const volatile uint32_t *)number;
}

static inline uint64_t just_written(const uint64_t *number)
{
	return *(const volatile uint64_t *)number;
}

static bool event_keep(const struct track *track, const struct event *event)
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
 * The event of the next entry that counts as a whole. Field by field: of what is set as a whole
 * compilers make a slow instruction.
 */
static void event_restore(const struct track *track, int64_t t, struct event *event,
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

bool track_report(struct track *track, const struct replay_input *input)
{
	struct deferred_entry *entry;

	if (!track->is_ahead)
		return input_take(track, input);
	entry = reel_add(&track->deferred->entries, sizeof(*entry));
	if (!entry) {
		track_fail(track);
		return true;
	}
	entry->kind = (unsigned char)input->kind;
	entry->call = (unsigned char)input->call;
	entry->wakes = input->wakes;
	entry->process_wide = input->process_wide;
	entry->reads = input->reads;
	entry->truncated = input->truncated;
	entry->forced = input->forced;
	entry->whole = is_whole(track, input);
	entry->nread = track->cursor.nread;
	entry->last = track->last;
	if (input->kind == INPUT_FOUND_ENTER || input->kind == INPUT_ACTIVE_ENTER)
		entry->step = input->step;
	else
		entry->region = input->region;
	entry->nchanges = track->deferred->nchanges;
	track->deferred->nchanges = 0;
	if (entry->whole && !event_keep(track, input->event)) {
		entry->whole = false;
		track_fail(track);
	}
	return true;
}

/* The states that the track had been through at the entry: once, also where it is tried again. */
static void changes_play(struct track *track, struct deferred_entry *entry)
{
	struct reel *changes = &track->deferred->changes;

	for (; entry->nchanges; entry->nchanges--) {
		const struct deferred_change *change = reel_at(changes, changes->nplayed++,
			sizeof(*change));

		if (change->is_sum) {
			track->summed[change->state] += change->t;
			continue;
		}
		if (change->is_step) {
			track->stepped[change->part] += change->t;
			continue;
		}
		track->spent[track->state] += change->t - track->since;
		network_spend(track, change->t);
		track->slept = track_slept(track, change->t);
		track->state = change->state;
		track->sleeps = change->sleeps;
		track->since = change->t;
		track->parts[track->part] += change->t - track->part_since;
		track->part = (enum training)change->part;
		track->part_since = change->t;
	}
}

/* `plain`: an event of which nothing but its time is known. */
static bool entry_play(struct track *track, struct deferred_entry *entry, struct event *plain)
{
	struct in_value own[KEPT_MOST];
	struct event event;
	struct replay_input input = { .kind = (enum replay_input_kind)entry->kind,
		.call = (enum region_kind)entry->call,
		.wakes = entry->wakes,
		.process_wide = entry->process_wide,
		.reads = entry->reads,
		.truncated = entry->truncated,
		.forced = entry->forced,
		.t = entry->last,
		.event = entry->whole ? &event : plain };

	if (entry->kind == INPUT_FOUND_ENTER || entry->kind == INPUT_ACTIVE_ENTER)
		input.step = entry->step;
	else
		input.region = entry->region;
	if (entry->whole)
		event_restore(track, entry->last, &event, own);
	else
		plain->t = entry->last;
	track->last = entry->last;
	changes_play(track, entry);
	track->deferred->nread = entry->nread;
	return input_take(track, &input);
}

/* The next ones go where memory is in the cache. */
static void deferred_rewind(struct deferred *deferred)
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

/* What is played when the track continues: the end of its call, and the next one. */
static void deferred_fetch(const struct deferred *deferred)
{
	reel_fetch(&deferred->entries, NEXT, sizeof(struct deferred_entry));
	reel_fetch(&deferred->events, NEXT / 2, sizeof(struct deferred_event));
	reel_fetch(&deferred->changes, NEXT / 2, sizeof(struct deferred_change));
}

bool deferred_play(struct track *track)
{
	struct deferred *deferred = track->deferred;
	struct reel *entries = &deferred->entries;
	struct event plain = { 0 };

	while (entries->nplayed < entries->nwritten) {
		struct deferred_entry *entry = entry_next(deferred);

		if (!entry_play(track, entry, &plain)) {
			deferred->nread = 0;
			deferred_fetch(deferred);
			return false;
		}
		deferred->events.nplayed += entry->whole;
		entries->nplayed++;
	}
	deferred->nread = 0;
	view_set(track, &deferred->ahead);
	track->is_ahead = false;
	deferred_rewind(deferred);
	return true;
}

/* --- going ahead --- */

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
