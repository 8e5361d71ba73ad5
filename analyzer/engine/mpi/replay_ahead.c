/*
 * replay_ahead.c - which message a receive gets that is completed later; see replay.h. MPI gives
 * the messages of a channel to its receives in the order of their posts, and a post does not state
 * its channel. Where a later receive is completed first, the thread's file is read ahead until the
 * earlier receives are completed, with a separate reader.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "otf2/otf2_records.h"

enum {
	FARTHEST = 1 << 16, /* events from the present one on that are inspected */
	AT_ONCE = 256,
	SKIPPED = 4096, /* events that are read, rather than sought */
};

struct completion {
	struct event event;
	uint32_t next_free;
};

struct ahead {
	struct cursor cursor;
	uint64_t present;     /* events that the thread itself has read */
	struct idmap numbers; /* of the completions after it, by request */
	ARRAY_OF(struct completion) completions;
	uint32_t free;
	bool failed;
};

static bool take(void *user, const struct event *event)
{
	struct ahead *ahead = user;
	struct completion *completion;
	uint32_t number = ahead->free;

	if (event->kind != EVENT_IRECV || ahead->cursor.nread <= ahead->present ||
		idmap_find(&ahead->numbers, idmap_key(event->request)) != IDMAP_NONE)
		return true;
	if (number != IDMAP_NONE) {
		completion = &ahead->completions.at[number];
		ahead->free = completion->next_free;
	} else {
		number = ahead->completions.n;
		completion = ARRAY_ADD(&ahead->completions);
	}
	if (!completion || idmap_set(&ahead->numbers, idmap_key(event->request), number) < 0) {
		ahead->failed = true;
		return false;
	}
	completion->event = *event;
	return true;
}

static void reader_close(struct ahead *ahead)
{
	cursor_close(&ahead->cursor);
	idmap_free(&ahead->numbers);
	ahead->completions.n = 0;
	ahead->free = IDMAP_NONE;
}

/* A reader where the thread is. */
static void reader_open(struct track *track, struct ahead *ahead)
{
	struct in_place place;

	deferred_place(track, &place);
	cursor_open(&ahead->cursor, track->cursor.archive, track->cursor.location, take, ahead);
	cursor_seek(&ahead->cursor, &place);
	ahead->cursor.second = true;
}

/* At or after the thread's present event; NULL: the file cannot be read twice at a time. */
static struct ahead *ahead_open(struct track *track)
{
	struct ahead *ahead = track->replay.ahead;

	struct in_place place;

	if (!track->cursor.records && !track->is_ahead)
		return NULL;
	if (!ahead) {
		ahead = track->replay.ahead = calloc(1, sizeof(*ahead));
		if (!ahead) {
			track_fail(track);
			return NULL;
		}
		ahead->free = IDMAP_NONE;
		reader_open(track, ahead);
	} else if (ahead->cursor.nread + SKIPPED < deferred_nread(track)) {
		deferred_place(track, &place);
		if (ahead->cursor.nread < place.n) {
			reader_close(ahead);
			reader_open(track, ahead);
		}
	}
	ahead->present = deferred_nread(track);
	return ahead;
}

const struct event *ahead_find(struct track *track, uint64_t request)
{
	struct ahead *ahead = ahead_open(track);
	uint32_t number;

	if (!ahead)
		return NULL;
	while ((number = idmap_find(&ahead->numbers, idmap_key(request))) == IDMAP_NONE) {
		if (ahead->failed)
			track_fail(track);
		if (ahead->failed || ahead->cursor.ended ||
			ahead->cursor.nread >= ahead->present + FARTHEST)
			return NULL;
		cursor_run(&ahead->cursor, AT_ONCE);
	}
	return &ahead->completions.at[number].event;
}

void ahead_forget(struct track *track, uint64_t request)
{
	struct ahead *ahead = track->replay.ahead;
	uint32_t number = ahead ? idmap_find(&ahead->numbers, idmap_key(request)) : IDMAP_NONE;

	if (number == IDMAP_NONE)
		return;
	idmap_set(&ahead->numbers, idmap_key(request), IDMAP_NONE);
	ahead->completions.at[number].next_free = ahead->free;
	ahead->free = number;
}

void ahead_close(struct track *track)
{
	struct ahead *ahead = track->replay.ahead;

	if (!ahead)
		return;
	reader_close(ahead);
	free(ahead->completions.at);
	free(ahead);
	track->replay.ahead = NULL;
}
