/* tape.c - see tape.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "otf2_records.h"
#include "tape.h"

/*
 * Entries of all locations together, 10 MB; of one. While a reader is without its core, for a writer
 * that has rows or for whatever else runs, all that wait for it live on their tapes, some ms.
 */
enum { TAPES = 1 << 15, TAPE_LEAST = 1 << 3 };

/* The attributes that the replay and windows look at, and how many of them an event has. */
static const enum trace_attribute kept[] = { ATTRIBUTE_SEQ, ATTRIBUTE_COMM, ATTRIBUTE_PEER,
	ATTRIBUTE_TAG, ATTRIBUTE_STEP, ATTRIBUTE_SAMPLES, ATTRIBUTE_SYNC };

enum { KEPT = sizeof(kept) / sizeof(kept[0]), KEPT_MOST = 4 };

/* What others see of a track, and what the replay asks of it. */
struct tape_view {
	int64_t last, since, spent[HOST_STATE_COUNT];
	enum host_state state;
	bool ended;
};

/* What each entry has stands in front: few have more of the event than its time. */
struct tape_entry {
	struct told told;
	uint64_t nread;
	struct tape_view view;
	struct event event;
	struct in_value own[KEPT_MOST];
};

struct tape {
	struct tape_entry *entries;	/* a ring; its size is a power of two */
	uint64_t nwritten, nplayed;
	size_t size;
	struct tape_view ahead;		/* the track where its events are read */
	struct in_place place;		/* at its first entry, or before */
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
	if (!outer_leave(track, told->call, told->event->t, &settled))
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
		track->replay.entered.moment = replay_moment(track, told->event->t);
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
		handover_enter(track, told->event, told->wakes, told->process_wide);
		break;
	case TOLD_WINDOW_ENTER:
		window_enter(track, told->region, told->event);
		break;
	case TOLD_WINDOW_LEAVE:
		window_leave(track, told->event, told->cut);
		break;
	case TOLD_FOUND_ENTER:
		window_found_enter(track, told->event->t, told->step);
		break;
	case TOLD_FOUND_LEAVE:
		window_found_leave(track, told->event->t);
	}
	return true;
}

/* --- the tape --- */

static struct tape_view view_of(const struct track *track)
{
	struct tape_view view = { .last = track->last, .since = track->since,
		.state = track->state, .ended = track->cursor.ended };

	memcpy(view.spent, track->spent, sizeof(view.spent));
	return view;
}

static void view_set(struct track *track, const struct tape_view *view)
{
	track->last = view->last;
	track->since = view->since;
	track->state = view->state;
	track->cursor.ended = view->ended;
	memcpy(track->spent, view->spent, sizeof(track->spent));
}

/* Of others only the time counts. */
static const bool whole_event[TOLD_FOUND_LEAVE + 1] = {
	[TOLD_ENTER] = true, [TOLD_EVENT] = true, [TOLD_FILE] = true, [TOLD_SYNC] = true,
	[TOLD_WINDOW_ENTER] = true, [TOLD_WINDOW_LEAVE] = true,
};

/* A copy that lasts, with numbers for attributes. */
static void event_keep(const struct track *track, struct tape_entry *entry,
		const struct told *told)
{
	const OTF2_AttributeRef *attributes = track->analysis->model.attributes;
	const struct event *event = told->event;
	uint64_t number;

	if (!whole_event[told->kind]) {
		entry->event.t = event->t;
		return;
	}
	entry->event = *event;
	entry->event.attributes = NULL;
	entry->event.nown = 0;
	for (size_t i = 0; event->told && i < KEPT && entry->event.nown < KEPT_MOST; i++)
		if (event_number(event, attributes[kept[i]], &number))
			entry->own[entry->event.nown++] = (struct in_value){ attributes[kept[i]],
				OTF2_TYPE_UINT64, { .uint64 = number } };
}

static struct tape_entry *entry_at(const struct tape *tape, uint64_t number)
{
	return &tape->entries[number & (tape->size - 1)];
}

/* Its next entry; NULL without memory. */
static struct tape_entry *entry_add(struct tape *tape)
{
	struct tape grown = *tape;

	if (tape->nwritten - tape->nplayed == tape->size) {
		grown.size = tape->size ? 2 * tape->size : 2 * TAPE_LEAST;
		grown.entries = malloc(grown.size * sizeof(*grown.entries));
		if (!grown.entries)
			return NULL;
		for (uint64_t i = tape->nplayed; i < tape->nwritten; i++)
			*entry_at(&grown, i) = *entry_at(tape, i);
		free(tape->entries);
		*tape = grown;
	}
	return entry_at(tape, tape->nwritten++);
}

bool track_tell(struct track *track, const struct told *told)
{
	struct tape_entry *entry;

	if (!track->is_ahead)
		return tell_replay(track, told);
	entry = entry_add(track->tape);
	if (!entry) {
		track_fail(track);
		return true;
	}
	entry->told = *told;
	event_keep(track, entry, told);
	entry->view = view_of(track);
	entry->nread = track->cursor.nread;
	return true;
}

bool tape_play(struct track *track)
{
	struct tape *tape = track->tape;
	bool fine = true;

	for (; fine && tape->nplayed < tape->nwritten; tape->nplayed += fine) {
		struct tape_entry *entry = entry_at(tape, tape->nplayed);

		entry->told.event = &entry->event;
		entry->event.own = entry->own;
		view_set(track, &entry->view);
		tape->nread = entry->nread;
		fine = tell_replay(track, &entry->told);
	}
	tape->nread = 0;
	if (!fine)
		return false;
	view_set(track, &tape->ahead);
	track->is_ahead = false;
	return true;
}

/* --- going ahead --- */

/* Devices look at threads at all times. */
static bool tape_begin(struct track *track)
{
	struct analysis *analysis = track->analysis;

	if (!track->replay.parked || analysis->device.any ||
	    !track->cursor.records || track->cursor.ended)
		return false;
	if (!track->tape && !(track->tape = calloc(1, sizeof(*track->tape))))
		return false;
	track->tape->place = (struct in_place){ .n = track->cursor.nread };
	records_place(track->cursor.records, &track->tape->place);
	track->is_ahead = true;
	track_resume(track);
	if (analysis->failed)
		return false;
	track->tape->ahead = view_of(track);
	view_set(track, &entry_at(track->tape, track->tape->nplayed)->view);
	return true;
}

static bool tape_has_room(const struct track *track)
{
	size_t most = TAPES / (track->analysis->model.locations.n + 1);

	return track->tape->nwritten - track->tape->nplayed < (most < TAPE_LEAST ? TAPE_LEAST : most);
}

bool track_ahead(struct track *track, uint32_t n)
{
	struct tape_view replayed;

	if ((!track->is_ahead && !tape_begin(track)) || track->tape->ahead.ended ||
	    !tape_has_room(track))
		return false;
	replayed = view_of(track);
	view_set(track, &track->tape->ahead);
	cursor_run(&track->cursor, n);
	track->tape->ahead = view_of(track);
	view_set(track, &replayed);
	return true;
}

uint64_t tape_played(const struct track *track)
{
	return track->tape ? track->tape->nplayed : 0;
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
	if (track->tape)
		free(track->tape->entries);
	free(track->tape);
	track->tape = NULL;
}
