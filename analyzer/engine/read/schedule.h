/*
 * schedule.h - in which order locations are read: of the locations that can continue, the one
 * furthest behind first. A track leaves when it parks and comes back when it is woken. In a
 * summary nothing leads from one family of processes to another: each is read to its end before
 * the next one begins.
 */
#ifndef ANALYZER_SCHEDULE_H
#define ANALYZER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct track;

/*
 * Its time is the time of the track's last event, which does not advance while it waits to be read,
 * less a lead.
 */
struct schedule_entry {
	int64_t t;
	uint32_t track, family;
};

struct schedule {
	struct engine *engine;
	struct schedule_entry *at; /* a heap of locations */
	size_t n;
	/* by location, in a summary: the family that is read together; else NULL */
	uint32_t *families;
	/* by process, with families: its locations that are not over; */
	uint32_t *left;
	struct schedule_family {
		uint32_t left, first;
	} * of_family;		/* by family, the same; the first of its locations */
	uint32_t *next;		/* by location: another of its family; MODEL_NONE: none */
	bool second_wave;	/* the tracks of later families have begun */
	size_t nopen;		/* tracks that are not over */
	uint64_t done, total;	/* events */
	uint64_t slice;		/* events of one location in a row */
	uint32_t ahead;		/* location that goes ahead next */
	bool ahead_full;	/* there is room for none */
	uint64_t ahead_at_once; /* … as soon as it parks, up to so many events */
	uint64_t nahead;	/* events that were read ahead */
	uint64_t nturns, nidle; /* turns of tracks, and turns in which one could not continue */
	int64_t lead;		/* ns by which tracks that others wait for are taken earlier */
	uint64_t shuffle;	/* state of random numbers: in any order, for tests; 0: not */
};

/* Opens the tracks that this process reads; the first wave is ready to run. 0, or -1 (reported). */
int schedule_open(struct schedule *schedule, struct engine *engine);
void schedule_close(struct schedule *schedule);

/* The others follow. */
void schedule_rest(struct schedule *schedule);

/* Continues with one. False: none can continue. */
bool schedule_run(struct schedule *schedule);

/*
 * One of the tracks that cannot continue goes some events ahead (deferred.h), until there is
 * news(). False: there is room for no more.
 */
bool schedule_ahead(struct schedule *schedule, bool (*news)(void *user), void *user);

/* Takes up the tracks that were woken. */
void schedule_wake(struct schedule *schedule);

/*
 * The parked track with the call that ends first: it has to continue without its gate when no other
 * track can. NULL: none.
 */
struct track *schedule_stuck(const struct schedule *schedule);
void schedule_force(struct schedule *schedule, struct track *track);

#endif
