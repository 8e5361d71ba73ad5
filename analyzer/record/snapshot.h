/*
 * snapshot.h - trace, database and report of a run in progress (`tacho snapshot`), and taking one when
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

enum keep_on { KEEP_ON_HANG = 1, KEEP_ON_SLOW_STEP = 2, KEEP_ON_SIGNAL = 4 };

/* Conditions for automatic snapshots of a run, and the state of their check. */
struct keep {
	unsigned on; /* enum keep_on; 0: never */
	int signal;  /* KEEP_ON_SIGNAL: which */
	const char *run;
	int taken;
	pid_t pid;	 /* of the process that takes one, 0: none */
	pid_t asked_pid; /* the same of one that was asked for */
	int64_t next_ns; /* not before, CLOCK_MONOTONIC */
	bool was_hanging;
	int32_t rank; /* rank with the inspected steps, and their number */
	uint64_t nsteps;
};

/* "hang,slow-step,SIGUSR1" to `on`. False: it is something else. */
bool keep_read(struct keep *keep, const char *text);

/* Asks for a snapshot, which the next keep_look() takes. A handler of signals. */
void keep_ask(int number);

/*
 * Takes one now, to RUN/kept-1 or the first number that is free, which the run's notes have with `why`;
 * `jobs` as of snapshot_take(). Its folder, to be freed; NULL (reported).
 */
char *keep_now(const char *run, const char *why, int jobs);

/* Takes a snapshot, to RUN/kept-1, RUN/kept-2…, when there is a reason in the view. */
void keep_look(struct keep *keep, const struct view *view);

/* Waits for one that is being taken. */
void keep_end(struct keep *keep);

#endif
