/*
 * snapshot.h - trace, database and report of a run that goes on (`tacho snapshot`), and taking one when
 * something happens (--keep-on).
 */
#ifndef ANALYZER_RECORD_SNAPSHOT_H
#define ANALYZER_RECORD_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "watch/watch_view.h"

/*
 * Makes the folder `snap` and the snapshot in it, and prints its summary to `out` (NULL: nowhere).
 * `jobs` threads, 0: one per core. 0, or -1 (reported).
 */
int snapshot_take(const char *run, const char *snap, bool force, int jobs, FILE *out);

/* Adds a line to RUN/control that holds `ahead` ns from now on. 0, or -1 (reported). */
int control_add(const char *run, int64_t ahead, const char *text);

enum keep_on { KEEP_ON_HANG = 1, KEEP_ON_SLOW_STEP = 2 };

/* When snapshots of a run are to be taken, and what was seen of it. */
struct keep {
	unsigned on; /* enum keep_on; 0: never */
	const char *run;
	int taken;
	pid_t pid;	 /* of the process that takes one, 0: none */
	int64_t next_ns; /* not before, CLOCK_MONOTONIC */
	bool was_hanging;
	int32_t rank; /* whose steps were looked at, and how many there were */
	uint64_t nsteps;
};

/* "hang,slow-step" to `on`. False: it is something else. */
bool keep_read(struct keep *keep, const char *text);

/* Takes a snapshot, to RUN/kept-1, RUN/kept-2…, when there is a reason in the view. */
void keep_look(struct keep *keep, const struct view *view);

/* Waits for one that is being taken. */
void keep_end(struct keep *keep);

#endif
