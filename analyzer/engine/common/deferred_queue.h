/* deferred_queue.h - the queue of deferred.h itself, for the code that fills and plays it. */
#ifndef ANALYZER_DEFERRED_QUEUE_H
#define ANALYZER_DEFERRED_QUEUE_H

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

enum { KEPT_MOST = 5 };	      /* attributes of an event */
enum { TAPE_LEAST = 1 << 3 }; /* entries of a location, at least */

/* State of a track that others see and the replay reads. */
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
	bool whole;	   /* the event is the next of the kept ones */
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

/* A queue in a ring of a power of two entries. */
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

/* What others see of the track; sets it. */
void view_get(const struct track *track, struct deferred_view *view);
void view_set(struct track *track, const struct deferred_view *view);

/* Whether the event of the report is kept in full: of others the time is enough. */
bool deferred_is_whole(const struct track *track, const struct replay_input *input);

/* Keeps an event in full; false without memory. */
bool deferred_event_keep(const struct track *track, const struct event *event);

/*
 * The event of the next entry that counts as a whole, of time t; own: KEPT_MOST attributes.
 */
void deferred_event_restore(const struct track *track, int64_t t, struct event *event,
	struct in_value *own);

/* All is played: the next ones go where memory is in the cache. */
void deferred_rewind(struct deferred *deferred);

/* Prefetches the entries that the track plays next: the end of its call, and the next call. */
void deferred_fetch(const struct deferred *deferred);

#endif
