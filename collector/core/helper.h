/*
 * helper.h - the library's one thread per process. It makes chunks ready
 * ahead of busy threads, keeps the heartbeat, pairs the clocks once a second
 * and captures the environment.
 */
#ifndef COLLECTOR_HELPER_H
#define COLLECTOR_HELPER_H

#include "core/span.h"

/*
 * Starts it unless it runs. Creating a thread allocates, so this must not be
 * called where the program may be inside its allocator: MPI and marker calls
 * are fine, and so is a process that has made some dozens of I/O calls.
 */
void helper_start(void) HIDDEN;

/* A chunk is wanted. */
void helper_poke(void) HIDDEN;

/* Ends it, and waits until it is gone, for half a second at most. */
void helper_stop(void) HIDDEN;

/*
 * Ends it for a call that only a process of one thread may make, and starts it again. The first returns
 * whether there was one: the second is due then.
 */
bool helper_pause(void) HIDDEN;
void helper_resume(void) HIDDEN;

/* In a forked child: there is none yet. */
void helper_forked(void) HIDDEN;

#endif
