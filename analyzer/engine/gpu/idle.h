/*
 * idle.h - the cause that each thread gives an idle device, at each time that a device may still
 * ask for. Totals per cause only grow, so the difference of two totals is a stretch of time. A wait
 * counts as the activity of the thread that ended it.
 */
#ifndef ANALYZER_IDLE_H
#define ANALYZER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"

/* In the order of the idle states of include/tacho/trace.h. */
enum idle_cause {
	CAUSE_IO,
	CAUSE_MPI,
	CAUSE_CHECKPOINT,
	CAUSE_COMPUTE,
	CAUSE_CUDA,
	CAUSE_WAIT,
	CAUSE_NONE, /* not recorded */
	CAUSE_COUNT
};

/* From `t` on the thread was in `cause`. */
struct history_point {
	int64_t t;
	enum idle_cause cause;
};

struct cause_totals {
	int64_t ns[CAUSE_COUNT];
};

struct history {
	ARRAY_OF(struct history_point) points; /* the last point is the present cause */
	uint64_t dropped;		       /* points removed before points.at[0] */
	struct cause_totals totals;	       /* up to the last point */
	/* the last point is a wait with a cause not known yet */
	bool waiting;
	/* waits that began before the kept part of the history of wakes */
	uint64_t nforgotten;
};

/* A place in a history that only moves forward. */
struct history_cursor {
	uint64_t point;
	int64_t t;
	struct cause_totals totals;
	bool begun;
};

/* The thread is in `cause` from t on. 0, or -1 without memory (reported). */
int history_change(struct history *history, int64_t t, enum idle_cause cause);

/* Totals at t, not before the last change. */
void history_totals(const struct history *history, int64_t t, struct cause_totals *totals);

/*
 * The last stretch [start of it, t) was a wait that `waker` ended at `wake`: its cause is what that
 * one was in.
 */
int history_resolve(struct history *history, const struct history *waker, int64_t wake, int64_t t);

/* Moves to t, which is before anything that may still change: *totals at t. */
void history_advance(const struct history *history, struct history_cursor *cursor, int64_t t,
	struct cause_totals *totals);

/*
 * Points of a thread to keep, of so many threads: how far back the cause of a long wait can be
 * reported.
 */
size_t history_keep(size_t nthreads);

/*
 * Forgets the part before `point` once 2 * keep points exist, but not the last `keep` (others
 * may have waited).
 */
void history_trim(struct history *history, uint64_t point, size_t keep);

void history_free(struct history *history);

#endif
