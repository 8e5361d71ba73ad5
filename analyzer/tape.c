/* tape.c - see tape.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "otf2_records.h"
#include "tape.h"

/*
 * Entries of all locations together, with events and states 3 MB; of one. While a reader is without
 * its core, for a writer that has rows or for whatever else runs, all that wait for it live on their
 * tapes, some ms.
 */
enum { TAPES = 1 << 15, TAPE_LEAST = 1 << 3 };

/* Of a tape's length: that part of it. */
enum { FEW = 8 };

/* The attributes that the replay and windows look at, and how many of them an event has. */
static const enum trace_attribute kept[] = { ATTRIBUTE_SEQ, ATTRIBUTE_COMM, ATTRIBUTE_PEER,
	ATTRIBUTE_TAG, ATTRIBUTE_STEP, ATTRIBUTE_SAMPLES, ATTRIBUTE_SYNC };

enum { KEPT = sizeof(kept) / sizeof(kept[0]), KEPT_MOST = 4 };

/* Which state a track is in, since when, and the time in each one before. */
struct tape_states {
	int64_t since, spent[HOST_STATE_COUNT];
	enum host_state state;
};

/* What others see of a track, and what the replay asks of it. */
struct tape_view {
	int64_t last;
	bool ended;
	struct tape_states states;
};

/*
 * What was told, and the track as it was then: of the event nearly always its time is enough, and
 * most entries find the track in the state of the one before.
 */
struct tape_entry {
	unsigned char kind, call;	/* enum told_kind, region_kind */
	bool wakes, process_wide, reads, cut, forced;
	bool whole;			/* the event is the next one of those that are kept */
	bool moved;			/* the states are the next ones of those that are kept */
	union { const struct region *region; int64_t step; };
	uint64_t nread;
	int64_t last;
};

/* Of an event that counts as a whole; attributes as numbers. */
struct tape_event {
	enum event_kind kind;
	uint32_t peer, tag;
	unsigned char nown, own[KEPT_MOST];
	uint64_t ref, request, bytes, received, told, values[KEPT_MOST];
};

/* A queue in a ring, whose size is a power of two. */
struct reel { char *at; uint64_t nwritten, nplayed; size_t size; };

struct tape {
	struct reel entries, events, states;
	struct tape_view ahead;		/* the track where its events are read */
	struct in_place place;		/* at its first entry, or before */
	uint64_t nplayed;		/* entries of before it was empty last */
	uint64_t nread;			/* of the entry that is being played; 0: none is */
};

/* --- telling --- */

static void call_enter(struct track *track, const struct told *told)
{
	replay_enter(track, told->event->t, told->region);
	if (told->call != KIND_MPI)
		return;
	replay_number(track, told->event);
	if (told->region->ungated)
		replay_probe(track, told->event);
}

/* `settled` is of no use: without devices no clock stands still in a state. */
static bool call_leave(struct track *track, const struct told *told)
{
	bool settled;

	if (told->forced)
		replay_force(track);
	if (!outer_leave(track, told->call, told->t, &settled))
		return false;
	track->replay.forced = track->replay.queued = false;
	return true;
}

static bool tell_replay(struct track *track, const struct told *told)
{
	switch (told->kind) {
	case TOLD_ENTER:
		call_enter(track, told);
		break;
	case TOLD_WAIT:
		replay_moment(track, told->t, &track->replay.entered.moment);
		break;
	case TOLD_LEAVE:
		return call_leave(track, told);
	case TOLD_EVENT:
		replay_event(track, told->event);
		break;
	case TOLD_FILE:
		replay_file(track, told->event);
		break;
	case TOLD_SYNC:
		handover_enter(track, told);
		break;
	case TOLD_WINDOW_ENTER:
		window_enter(track, told->region, told->event);
		break;
	case TOLD_WINDOW_LEAVE:
		window_leave(track, told->event, told->cut);
		break;
	case TOLD_FOUND_ENTER:
		window_found_enter(track, told->t, told->step);
		break;
	case TOLD_FOUND_LEAVE:
		window_found_leave(track, told->t);
	}
	return true;
}

/* --- the tape --- */

static void states_get(const struct track *track, struct tape_states *states)
{
	states->since = track->since;
	states->state = track->state;
	memcpy(states->spent, track->spent, sizeof(states->spent));
}

static void states_set(struct track *track, const struct tape_states *states)
{
	track->since = states->since;
	track->state = states->state;
	memcpy(track->spent, states->spent, sizeof(track->spent));
}

static void view_get(const struct track *track, struct tape_view *view)
{
	view->last = track->last;
	view->ended = track->cursor.ended;
	states_get(track, &view->states);
}

static void view_set(struct track *track, const struct tape_view *view)
{
	track->last = view->last;
	track->cursor.ended = view->ended;
	states_set(track, &view->states);
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
static inline const struct tape_entry *entry_next(const struct tape *tape)
{
	return reel_at(&tape->entries, tape->entries.nplayed, sizeof(struct tape_entry));
}

/* Of others nobody asks for more than attributes. */
static bool is_whole(const struct track *track, const struct told *told)
{
	const OTF2_AttributeRef *attributes = track->analysis->model.attributes;
	uint64_t bits = 0;

	if (told->kind == TOLD_EVENT || told->kind == TOLD_FILE)
		return true;
	if (!told->event || !told->event->told)
		return false;
	for (size_t i = 0; i < KEPT; i++)
		bits |= event_bit(attributes[kept[i]]);
	return told->event->told & bits;
}

static bool event_keep(const struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->analysis->model.attributes;
	struct tape_event *keep = reel_add(&track->tape->events, sizeof(*keep));

	if (!keep)
		return false;
	keep->kind = event->kind;
	keep->peer = event->peer;
	keep->tag = event->tag;
	keep->ref = event->ref;
	keep->request = event->request;
	keep->bytes = event->bytes;
	keep->received = event->received;
	keep->told = event->told;
	keep->nown = 0;
	for (size_t i = 0; event->told && i < KEPT && keep->nown < KEPT_MOST; i++)
		if (event_number(event, attributes[kept[i]], &keep->values[keep->nown]))
			keep->own[keep->nown++] = (unsigned char)kept[i];
	return true;
}

static bool states_keep(struct track *track)
{
	struct tape_states *keep = reel_add(&track->tape->states, sizeof(*keep));

	if (!keep)
		return false;
	states_get(track, keep);
	track->moved = false;
	return true;
}

/* The states of the next entry that has some. */
static const struct tape_states *states_next(const struct tape *tape)
{
	return reel_at(&tape->states, tape->states.nplayed, sizeof(struct tape_states));
}

/*
 * The event of the next entry that counts as a whole. Field by field: of what is set as a whole
 * compilers make a slow instruction.
 */
static void event_restore(const struct track *track, int64_t t, struct event *event,
		struct in_value *own)
{
	const struct reel *events = &track->tape->events;
	const struct tape_event *from =
		reel_at(events, events->nplayed, sizeof(struct tape_event));

	event->kind = from->kind;
	event->peer = from->peer;
	event->tag = from->tag;
	event->t = t;
	event->ref = from->ref;
	event->request = from->request;
	event->bytes = from->bytes;
	event->received = from->received;
	event->told = from->told;
	event->attributes = NULL;
	event->own = own;
	event->nown = from->nown;
	event->types = NULL;
	event->values = NULL;
	for (size_t i = 0; i < from->nown; i++)
		own[i] = (struct in_value){ track->analysis->model.attributes[from->own[i]],
			OTF2_TYPE_UINT64, { .uint64 = from->values[i] } };
}

bool track_tell(struct track *track, const struct told *told)
{
	struct tape_entry *entry;

	if (!track->is_ahead)
		return tell_replay(track, told);
	entry = reel_add(&track->tape->entries, sizeof(*entry));
	if (!entry) {
		track_fail(track);
		return true;
	}
	entry->kind = (unsigned char)told->kind;
	entry->call = (unsigned char)told->call;
	entry->wakes = told->wakes;
	entry->process_wide = told->process_wide;
	entry->reads = told->reads;
	entry->cut = told->cut;
	entry->forced = told->forced;
	entry->whole = is_whole(track, told);
	entry->nread = track->cursor.nread;
	entry->last = track->last;
	if (told->kind == TOLD_FOUND_ENTER)
		entry->step = told->step;
	else
		entry->region = told->region;
	entry->moved = track->moved;
	if (entry->moved && !states_keep(track)) {
		entry->moved = false;
		track_fail(track);
	}
	if (entry->whole && !event_keep(track, told->event)) {
		entry->whole = false;
		track_fail(track);
	}
	return true;
}

/*
 * `plain`: an event of which nothing but its time is known. The states have been set where the entry
 * was tried before, and nothing moved since.
 */
static bool entry_play(struct track *track, const struct tape_entry *entry, struct event *plain)
{
	struct in_value own[KEPT_MOST];
	struct event event;
	struct told told = { .kind = (enum told_kind)entry->kind,
		.call = (enum region_kind)entry->call, .wakes = entry->wakes,
		.process_wide = entry->process_wide, .reads = entry->reads, .cut = entry->cut,
		.forced = entry->forced, .t = entry->last, .event = entry->whole ? &event : plain };

	if (entry->kind == TOLD_FOUND_ENTER)
		told.step = entry->step;
	else
		told.region = entry->region;
	if (entry->whole)
		event_restore(track, entry->last, &event, own);
	else
		plain->t = entry->last;
	track->last = entry->last;
	if (entry->moved)
		states_set(track, states_next(track->tape));
	track->tape->nread = entry->nread;
	return tell_replay(track, &told);
}

/* The next ones go where memory is in the cache. */
static void tape_rewind(struct tape *tape)
{
	tape->nplayed += tape->entries.nplayed;
	tape->entries.nwritten = tape->entries.nplayed = 0;
	tape->events.nwritten = tape->events.nplayed = 0;
	tape->states.nwritten = tape->states.nplayed = 0;
}

bool tape_play(struct track *track)
{
	struct tape *tape = track->tape;
	struct reel *entries = &tape->entries;
	struct event plain = { 0 };

	while (entries->nplayed < entries->nwritten) {
		const struct tape_entry *entry = entry_next(tape);

		if (!entry_play(track, entry, &plain)) {
			tape->nread = 0;
			return false;
		}
		tape->events.nplayed += entry->whole;
		tape->states.nplayed += entry->moved;
		entries->nplayed++;
	}
	tape->nread = 0;
	view_set(track, &tape->ahead);
	track->is_ahead = false;
	tape_rewind(tape);
	return true;
}

/* --- going ahead --- */

/* Devices look at threads at all times. */
static bool tape_begin(struct track *track)
{
	struct analysis *analysis = track->analysis;
	struct tape_view parked;

	if (!track->replay.parked || analysis->device.any ||
	    !track->cursor.records || track->cursor.ended)
		return false;
	if (!track->tape && !(track->tape = calloc(1, sizeof(*track->tape))))
		return false;
	track->tape->place = (struct in_place){ .n = track->cursor.nread };
	records_place(track->cursor.records, &track->tape->place);
	view_get(track, &parked);
	track->is_ahead = true;
	track_resume(track);
	if (analysis->failed)
		return false;
	view_get(track, &track->tape->ahead);
	view_set(track, &parked);
	return true;
}

/* Entries that still fit; few count as none, as each going ahead takes a while. */
static uint32_t tape_room(const struct track *track)
{
	const struct reel *entries = &track->tape->entries;
	size_t most = TAPES / (track->analysis->model.locations.n + 1),
		held = entries->nwritten - entries->nplayed;

	most = most < TAPE_LEAST ? TAPE_LEAST : most;
	return held + most / FEW < most ? (uint32_t)(most - held) : 0;
}

bool track_ahead(struct track *track, uint32_t n, bool (*news)(void *user), void *user)
{
	struct tape_view replayed;
	uint32_t room;

	if ((!track->is_ahead && !tape_begin(track)) || track->tape->ahead.ended ||
	    !(room = tape_room(track)))
		return false;
	view_get(track, &replayed);
	view_set(track, &track->tape->ahead);
	cursor_run_until(&track->cursor, n < room ? n : room, news, user);
	view_get(track, &track->tape->ahead);
	view_set(track, &replayed);
	return true;
}

uint64_t tape_played(const struct track *track)
{
	return track->tape ? track->tape->nplayed + track->tape->entries.nplayed : 0;
}

uint64_t tape_nread(const struct track *track)
{
	return track->tape && track->tape->nread ? track->tape->nread : track->cursor.nread;
}

void tape_place(const struct track *track, struct in_place *place)
{
	if (track->tape && track->tape->nread) {
		*place = track->tape->place;
		return;
	}
	*place = (struct in_place){ .n = track->cursor.nread };
	records_place(track->cursor.records, place);
}

void tape_free(struct track *track)
{
	if (track->tape) {
		free(track->tape->entries.at);
		free(track->tape->events.at);
		free(track->tape->states.at);
	}
	free(track->tape);
	track->tape = NULL;
}
